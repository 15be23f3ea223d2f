"""An error that the program itself raised: the GPU is not to blame."""

from fitguard.schema.crash import Story, Traceback
from fitguard.schema.finding import Fix

_OF_THE_RUNTIME = (
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError",
    "DeadlineExceededError", "FailedPreconditionError", "InternalError", "InvalidArgumentError",
    "JaxRuntimeError", "MemoryError", "NotFoundError", "OutOfRangeError", "PermissionDeniedError",
    "ResourceExhaustedError", "SystemError", "UnavailableError", "UnimplementedError",
    "UnknownError", "XlaRuntimeError",
)  # fmt: skip
"""TensorFlow, XLA or the machine raise these: what is behind them is not in the script."""
_ON_PURPOSE = ("KeyboardInterrupt", "SystemExit")
_OPEN = ("OSError", "RuntimeError", "Exception", "ImportError")
"""These may tell of anything."""
_LONGEST = 300
_REMEDIES = {
    "ModuleNotFoundError": Fix(
        "Install the missing package for the Python that runs the script. Its name may differ from "
        "that of the module."
    ),
    "FileNotFoundError": Fix("Check the path, and the folder from which you start the script."),
    "TBNotInstalledError": Fix(
        "Install TensorBoard for the Python that runs the script, or leave out what writes to it.",
        commands=("python -m pip install tensorboard",),
    ),
    "TrainingDied": Fix("Ask why that run died."),
}


def script_error(story: Story) -> Traceback | None:
    """The error, where the program's own code led to it and no import of TensorFlow did."""
    error = story.traceback
    if error is None or error.type in (*_OF_THE_RUNTIME, *_ON_PURPOSE):
        return None
    if story.has("inside-tensorflow-import") or not any(frame.own for frame in error.frames):
        return None
    return error


def summarize(error: Traceback) -> str:
    """`Your script stopped with KeyError at train.py, line 12. The GPU is not to blame.`"""
    if error.run:
        return f"The guarded run {error.run} died, and your script stopped with {error.type}."
    blame = "Nothing points to the GPU" if error.type in _OPEN else "The GPU is not to blame"
    return f"Your script stopped with {error.type} at {_place(error)}. {blame}."


def tell_why(error: Traceback) -> str:
    """The error in Python's words, and who raised it."""
    raised = error.frames[-1]
    message = f"{error.type}: {error.message}"[:_LONGEST] if error.message else error.type
    if raised == error.raised_in:
        return f"Python raised {message}"
    return f"Your code called into {raised.file}, which raised {message}"


def remedy(error: Traceback) -> Fix:
    """What to do about it."""
    known = _REMEDIES.get(error.type)
    return known or Fix(f"Look at {_place(error)}: the error comes from there, or from its inputs.")


def _place(error: Traceback) -> str:
    frame = error.raised_in
    return f"{frame.file}, line {frame.number}"
