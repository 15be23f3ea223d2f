"""Scripts whose files and folders stand in the way of a second attempt."""

import signal

import pytest
from guarded.harness import GuardedRun

OFTEN = ("--snapshot-seconds", 0.05)


def killed_in(run, fit):
    """SIGKILL in this fit, once a snapshot of it is on the disk and further epochs were done."""
    child = run.next_child()

    def is_further():
        beat = child.beat()
        return beat.place.fit == fit and beat.place.epoch > 4 and beat.saved_steps > 0

    assert child.wait_for(is_further), run.wait().text
    assert child.signal(signal.SIGKILL)
    ended = run.wait()
    assert ended.code == 0, ended.text
    assert len(run.record.attempts) == 2, ended.text


@pytest.mark.parametrize(
    ("kind", "fit"),
    [pytest.param("pictures", 1, marks=pytest.mark.soak), ("checkpoints", 3)],
)
def test_a_second_attempt_finds_the_files_as_they_were(kind, fit, tmp_path):
    script = f"files_{kind}.py"
    with GuardedRun(tmp_path, script, options=OFTEN) as run:
        killed_in(run, fit)
    assert not (run.folder.files / "kept").exists()


def test_what_cannot_be_done_twice_is_said_with_its_line_and_not_tried_again(tmp_path):
    (tmp_path / "given.csv").write_text("1,2\n")
    with GuardedRun(tmp_path, "files_moved.py") as run:
        ended = run.wait()
    assert ended.code == 1
    assert [attempt.outcome for attempt in run.record.attempts] == ["killed", "exception"]
    assert (
        "fitguard stops here: Line 10 of files_moved.py fails because attempt 1 had already moved "
        "given.csv to store/given.csv. Do that only where it is still there: "
        "if os.path.exists('given.csv'). The run can be resumed then.\n"
    ) in ended.text
    assert "cause:" not in ended.text
