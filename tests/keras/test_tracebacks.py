"""Tracebacks without the frames of fitguard."""

import traceback
from pathlib import Path

import fitguard
from fitguard.keras.tracebacks import without_ours

OURS = Path(fitguard.__file__).parent


def raised_through(files):
    """The traceback of an error that the last raised, and the others called."""
    call = None
    for file in reversed(files):
        body = "raise ValueError('no')" if call is None else "call()"
        scope = {"call": call}
        exec(compile(f"def step():\n    {body}", str(file), "exec"), scope)
        call = scope["step"]
    try:
        call()
    except ValueError as error:
        return error.__traceback__.tb_next


def files_of(trace):
    return [Path(frame.filename).name for frame in traceback.extract_tb(trace)]


def test_frames_of_ours_are_left_out():
    boot, fits = OURS / "keras" / "bootstrap.py", OURS / "keras" / "fitting" / "guarded_fits.py"
    trace = raised_through([boot, "train.py", fits, "trainer.py", fits, "execute.py"])
    assert files_of(without_ours(trace)) == ["train.py", "trainer.py", "execute.py"]


def test_an_error_of_ours_is_shown_whole():
    fits = OURS / "keras" / "fitting" / "guarded_fits.py"
    trace = raised_through(["train.py", fits])
    assert files_of(without_ours(trace)) == ["train.py", "guarded_fits.py"]


def test_what_only_the_main_program_did_is_nothing():
    assert without_ours(raised_through([OURS / "keras" / "bootstrap.py"])) is None
    assert without_ours(None) is None
