"""A run loses its host and ends on another one, on a file system without locks."""

import os
import signal

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference
from guarded.test_signals import until_saved
from supervise.strange_host import StrangeHosts

from fitguard.monitor.journal import Journal
from fitguard.monitor.lease_files import find_number
from fitguard.schema.journal import SnapshotWritten

SCRIPT = "steps_per_execution.py"
OPTIONS = ("--snapshot-seconds", 0.05, "--lease-seconds", 10, "--resume=auto", "--name", "n")


@pytest.mark.soak
def test_a_run_loses_its_host_and_ends_on_another(tmp_path):
    hosts, fast = StrangeHosts(tmp_path), tmp_path / "fast"

    def on(name):
        return GuardedRun(
            tmp_path / "run", SCRIPT, fast, options=OPTIONS, environment=hosts.environment(name)
        )

    with on("node-a") as lost:
        child = until_saved(lost, 1)
        for pid in (lost.parent, child.pid):
            os.kill(pid, signal.SIGSTOP)
        fast.touch()
        taken_over = on("node-b").start()
        ended = taken_over.wait()
        assert ended.code == 0, ended.text
        assert "on node-a may still guard the run n. Waiting 10 s" in ended.text
        left = _list_files(taken_over.folder.path)

        for pid in (child.pid, lost.parent):
            os.kill(pid, signal.SIGCONT)
        assert lost.wait().code == 75  # the scheduler may queue it again: it will find it finished
        child.join()
        assert _list_files(taken_over.folder.path) == left

    plain = run_plain(SCRIPT, tmp_path / "plain.npz")
    assert plain.code == 0, plain.text
    assert difference(tmp_path / "plain.npz", taken_over.out) == ""
    assert find_number(taken_over.folder.path) == 2
    assert [attempt.outcome for attempt in taken_over.record.attempts] == ["lost", "finished"]
    events = Journal(taken_over.folder.journal).read()
    writers = [event.attempt for event in events if isinstance(event, SnapshotWritten)]
    assert writers == sorted(writers)


def _list_files(folder):
    """What lies there; but for what parent and child only tell each other."""
    apart = ("heartbeat", "output.log", "samples.jsonl", "stacks.txt", "lease.0000000001")
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in apart
    }
