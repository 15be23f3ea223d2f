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
"""Saves and restores: what Keras raises there, it raises because of us; but with a ValueError it
speaks of shapes, which are the script's."""
_PASSED_ON = {"original", "native"}
"""Names under which Keras' own functions are called on behalf of the script. Keras cuts its own
frames out of tracebacks: an error of it then seems to end in the frame that called it."""


def own_fault(error: BaseException) -> str:
    """Where fitguard failed, as `keras/fitting/ending.py, line 41`; empty where it did not."""
    if not isinstance(error, _OF_PROGRAMS) or type(error).__module__.startswith("fitguard"):
        return ""
    frames = list(walk_tb(error.__traceback__))
    by_user = [n for n, (frame, _) in enumerate(frames) if is_written_by_user(_file(frame))]
    # Only what comes behind the last call of the user's own code.
    called = frames[by_user[-1] + 1 :] if by_user else frames
    unasked = [(frame, line) for frame, line in called if _place(frame).startswith(_UNASKED)]
    last = [(frame, line) for frame, line in called[-1:] if _place(frame) and not _passes_on(frame)]
    found = last if isinstance(error, ValueError) else [*unasked[-1:], *last]
    return f"{_place(found[0][0])}, line {found[0][1]}" if found else ""


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


def _place(frame: FrameType) -> str:
    """A file of fitguard; empty for others, and for the main program."""
    path = Path(_file(frame))
    ours = path.is_relative_to(_OURS) and _file(frame) != _MAIN
    return path.relative_to(_OURS).as_posix() if ours else ""


def _passes_on(frame: FrameType) -> bool:
    code = frame.f_code
    return bool(_PASSED_ON & {*code.co_varnames, *code.co_freevars, *code.co_names})


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename
