"""Which errors are fitguard's own fault."""

from pathlib import Path

import pytest

import fitguard
from fitguard.keras.own_faults import own_fault
from fitguard.schema.exit_codes import UsageError

OURS = str(Path(fitguard.__file__).parent)
BOOT = f"{OURS}/keras/bootstrap.py"
FITS = f"{OURS}/keras/fitting/guarded_fits.py"
ENDING = f"{OURS}/keras/fitting/ending.py"
SCRIPT = "/home/me/train.py"
PATCHED = f"{OURS}/contract/patching.py"
KERAS = "/env/lib/python3.11/site-packages/keras/src/trainers/trainer.py"


def raised(*files, error=None, name="inner"):
    """An error that the last of these files raised, called by those before it."""
    error = error or AttributeError("no such name")
    call = None
    for file in reversed(files):
        body = "raise error" if call is None else f"{name}()"
        scope = {name: call, "error": error}
        exec(compile(f"def step():\n    {body}", file, "exec"), scope)
        call = scope["step"]
    with pytest.raises(type(error)) as caught:
        call()
    return caught.value


def test_an_error_of_our_own_code_is_ours():
    assert own_fault(raised(BOOT, SCRIPT, FITS)) == "keras/fitting/guarded_fits.py, line 2"


def test_what_keras_says_of_our_restoring_is_ours():
    error = raised(SCRIPT, FITS, ENDING, PATCHED, KERAS, PATCHED, KERAS)
    assert own_fault(error) == "keras/fitting/ending.py, line 2"


@pytest.mark.parametrize(
    "files",
    [
        (BOOT, SCRIPT),
        (BOOT,),
        (SCRIPT, FITS, KERAS),
        (SCRIPT, FITS, KERAS, SCRIPT),
        (SCRIPT, FITS, ENDING, KERAS, SCRIPT, KERAS),
    ],
)
def test_what_the_script_or_keras_for_the_script_did_is_not(files):
    assert own_fault(raised(*files)) == ""


def test_what_keras_says_of_shapes_is_not():
    assert own_fault(raised(SCRIPT, FITS, ENDING, KERAS, error=ValueError("shapes"))) == ""
    assert own_fault(raised(SCRIPT, FITS, ENDING, error=ValueError("no number"))) != ""


def test_keras_cuts_its_own_frames_out():
    error = raised(SCRIPT, FITS, KERAS, name="original")
    trace = error.__traceback__
    while trace.tb_next.tb_next is not None:
        trace = trace.tb_next
    trace.tb_next = None
    assert own_fault(error) == ""


@pytest.mark.parametrize("error", [MemoryError(), OSError("disk full"), UsageError("teaches")])
def test_what_may_happen_to_any_program_is_not(error):
    assert own_fault(raised(SCRIPT, FITS, error=error)) == ""
