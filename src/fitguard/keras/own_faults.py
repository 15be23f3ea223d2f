"""Errors that fitguard's own code raised: they are no fault of the script, nor of its packages."""

import sys
from pathlib import Path
from traceback import walk_tb
from types import FrameType

from fitguard.keras.sources import is_written_by_user

_OURS = Path(__file__).parents[1]
_MAIN = str(Path(__file__).with_name("bootstrap.py"))
_OF_PROGRAMS = (
    *(AttributeError, ImportError, TypeError, NameError, LookupError, ValueError, AssertionError),
)
"""What programs raise that are wrong; memory, disks and GPUs raise others."""
_UNASKED = (
    *("keras/fitting/ending.py", "keras/fitting/resuming.py", "keras/fitting/recording.py"),
    *("keras/state/", "keras/snapshots/", "state/"),
)
"""Saves and restores: what Keras raises there, it raises because of us."""
_PASSED_ON = {"original", "native"}
"""Names under which Keras' own functions are called on behalf of the script. Keras cuts its own
frames out of tracebacks: an error of it then seems to end in the frame that called it."""


def own_fault(error: BaseException) -> str:
    """Where fitguard failed, as `keras/fitting/ending.py, line 41`; empty where it did not."""
    if not isinstance(error, _OF_PROGRAMS) or type(error).__module__.startswith("fitguard"):
        return ""
    frames = list(walk_tb(error.__traceback__))
    ours = [n for n, (frame, _) in enumerate(frames) if _is_ours(frame)]
    if not ours:
        return ""
    (frame, line), called = frames[ours[-1]], frames[ours[-1] + 1 :]
    if any(is_written_by_user(_file(one)) for one, _ in called):
        return ""
    place = Path(_file(frame)).relative_to(_OURS).as_posix()
    unasked = place.startswith(_UNASKED)
    return f"{place}, line {line}" if unasked or not (called or _passes_on(frame)) else ""


def words_for(place: str) -> str:
    """What the user is told of it."""
    version = sys.modules["fitguard"].__version__
    is_script = is_written_by_user(str(Path(sys.argv[0]).absolute()))
    plain = f"python {' '.join(sys.argv)}" if is_script else "model.fit"
    return (
        f"This is a fault of fitguard {version} itself, at {place}, and not of your script: "
        f"`{plain}` trains without it. Please report it, with the traceback above, where "
        "you got fitguard from."
    )


def _is_ours(frame: FrameType) -> bool:
    return _file(frame).startswith(f"{_OURS}/") and _file(frame) != _MAIN


def _passes_on(frame: FrameType) -> bool:
    code = frame.f_code
    return bool(_PASSED_ON & {*code.co_varnames, *code.co_freevars, *code.co_names})


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename
