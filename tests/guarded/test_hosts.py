"""A run loses its host and ends on another one, on a file system without locks."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import programs
import pytest
from guarded.harness import SCRIPTS, GuardedRun, environment_in, run_plain
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
    apart = ("heartbeat", "output.log", "child.record", "stacks.txt", "lease.0000000001")
    apart += ("parent.record",)
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in apart
    }


@pytest.mark.soak
@pytest.mark.parametrize("way", ["object store", "hook"])
def test_a_folder_that_was_copied_to_another_host_goes_on_with_the_same_bits(way, tmp_path):
    hosts, old, new = StrangeHosts(tmp_path), tmp_path / "old", tmp_path / "deeper" / "new"
    old.mkdir()
    shutil.copy(SCRIPTS / "files_checkpoints.py", old / "train.py")
    run = Path("fitguard-runs") / "n"
    hook = f"rm -rf {tmp_path}/away; cp -r $FITGUARD_SNAPSHOT_FOLDER {tmp_path}/away"
    first = start_in(old, hosts.environment("node-a"), "--after-snapshot", hook)
    journal = Journal(old / run / "journal.jsonl")
    programs.wait_for(
        lambda: any(is_of_third_fit(one) for one in journal.read()) or first.poll() is not None
    )
    first.send_signal(signal.SIGTERM)
    assert first.wait(programs.LONGEST_SECONDS) == 75
    if way == "hook":
        shutil.rmtree(old / run)
        copy_as_object_store(tmp_path / "away", old / run)
        shutil.rmtree(old / "out")  # its files come back out of the folder of the run
    copy_as_object_store(old, new)
    shutil.rmtree(old)
    second = start_in(new, hosts.environment("node-b"))
    assert second.wait(programs.LONGEST_SECONDS) == 0, (new / "output.txt").read_text()
    said = (new / "output.txt").read_text()
    assert f"continues the run n, which was started in {old}." in said
    assert "changed since" not in said
    assert "may still guard" not in said
    (tmp_path / "plain").mkdir()
    plain = run_plain("files_checkpoints.py", tmp_path / "plain" / "plain.npz")
    assert plain.code == 0, plain.text
    assert difference(tmp_path / "plain" / "plain.npz", new / "guarded.npz") == ""


def copy_as_object_store(source, target):
    """Without times, permissions, links and empty folders."""
    for path in source.rglob("*"):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def start_in(folder, environment, *more):
    options = ("--snapshot-seconds", "0.05", "--resume=auto", "--name", "n", *more)
    with (folder / "output.txt").open("ab") as texts:
        return programs.start(
            [sys.executable, "-m", "fitguard", "run", *options, "train.py", "guarded.npz"],
            stdin=subprocess.DEVNULL,
            stdout=texts,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment_in(folder.parent, **environment),
        )


def is_of_third_fit(event):
    return isinstance(event, SnapshotWritten) and event.place.fit == 3
