"""Training that does not use `fit`: it is not guarded, and the user shall know."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import PACKAGES, Library
from fitguard.contract.patching import Wraps

_NOT_THE_USERS = (*PACKAGES, "tensorflow", "fitguard", "importlib", "contextlib", "functools")
_FEW = 100
_LINES = """
    from fitguard.keras import Guard
    guard = Guard(model, optimizer=optimizer)
    for step in range(guard.start, steps):
        ...  # one step, on the batch that follows from its number
        guard.step_done(step)"""


class OtherWays:
    """Notes where a script trains by itself.

    Args:
        guarded: Whether a `fit` runs in this thread, or a loop is guarded.
        after_a_fit: Whether one has ended. A few steps between two of them are soon done again,
            with the same result.
        tell: Called once, with a sentence.
    """

    def __init__(
        self,
        guarded: Callable[[], bool],
        after_a_fit: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        self._guarded = guarded
        self._after_a_fit = after_a_fit
        self._tell = tell
        self._steps = 0
        self._seen = False

    def wraps(self) -> Wraps:
        """What is put around Keras."""
        return {Role.GRADIENTS_APPLIED: self._noting, Role.TRAIN_ON_BATCH: self._noting}

    def nothing_guarded(self) -> str:
        """What to say at the end of a script in which nothing was guarded."""
        if self._seen:
            return "nothing was guarded: the script trains in a loop of its own"
        if not any(package in sys.modules for package in PACKAGES):
            return "nothing was guarded: the script does not load Keras"
        return "nothing was guarded: the script ends without a call of fit"

    def _is_long(self) -> bool:
        self._steps += 1
        return self._steps > _FEW or not self._after_a_fit()

    def _noting(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def note_and_call(*args: Any, **kwargs: Any) -> Any:
            if not self._seen and not self._guarded() and self._is_long():
                self._seen = True
                self._tell(
                    f"{_line_of_the_user()} trains without fit, in a loop of its own: that is not "
                    f"guarded. These lines guard such a loop:{_LINES}"
                )
            return original(*args, **kwargs)

        return note_and_call


def _line_of_the_user() -> str:
    """The line that led here: of the script itself, or of a module that it uses."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    found = ""
    frame: Any = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        line = f"line {frame.f_lineno} of {Path(file).name}"
        if file == script:
            return line
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        # What autograph made of a function has a file and lines of its own.
        own = package in _NOT_THE_USERS or file.startswith("<") or "__autograph" in file
        found = found or ("" if own else line)
        frame = frame.f_back
    return found or "the script"
