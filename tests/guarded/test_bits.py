"""The same bits as plain Keras, undisturbed and killed."""

import os
import signal

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference

OFTEN = ("--snapshot-seconds", 0.05)


def plain_result(folder, script):
    """The path of what the script saves without fitguard."""
    ended = run_plain(script, folder / "plain.npz")
    assert ended.code == 0, ended.text
    return folder / "plain.npz"


def terminal_closed(run):
    """SIGHUP to all as soon as steps were done: under `nohup` it changes nothing."""
    child = run.next_child()
    assert child.wait_for(lambda: child.beat().place.total_steps > 0)
    os.killpg(run.parent, signal.SIGHUP)


def killed_once(run):
    """SIGKILL as soon as a snapshot is on the disk and further steps were done."""
    child = run.next_child()

    def is_further():
        beat = child.beat()
        return 0 < beat.saved_steps < beat.place.total_steps

    assert child.wait_for(is_further), "it ended before it could be killed"
    assert child.signal(signal.SIGKILL)
    return run.wait()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("dense_arrays", marks=pytest.mark.soak),
        pytest.param("cnn_tf_data", marks=pytest.mark.soak),
        "several_fits",
    ],
)
def test_undisturbed_and_killed_runs_give_the_bits_of_plain_keras(kind, tmp_path):
    script = f"{kind}.py"
    plain = plain_result(tmp_path, script)
    with GuardedRun(tmp_path / "calm", script, before=("nohup",)) as calm:
        terminal_closed(calm)
        ended = calm.wait()
        assert ended.code == 0, ended.text
        assert difference(plain, calm.out) == ""
        assert len(calm.record.attempts) == 1
    with GuardedRun(tmp_path / "killed", script, options=OFTEN) as killed:
        ended = killed_once(killed)
        assert ended.code == 0, ended.text
        assert difference(plain, killed.out) == ""
        first, second = killed.record.attempts
        assert (first.outcome, first.signal, second.outcome) == ("killed", "SIGKILL", "finished")
        assert second.first.total_steps > 0
    if kind == "dense_arrays":
        tables = [(tmp_path / name).read_text() for name in ("plain.csv", "killed/guarded.csv")]
        assert tables[0] == tables[1]
