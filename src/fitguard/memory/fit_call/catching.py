"""What happens where a script would begin to train: it is noted, and the script stops."""

import inspect
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps
from fitguard.memory.fit_call.compiles import Compiles
from fitguard.memory.fit_call.elsewhere import ChildLine

_TRAINING = (Role.FIT, Role.TRAIN_ON_BATCH, Role.FIT_GENERATOR)
_PATIENCE = 3
"""So often a script may go on after it was stopped."""


class Stopped(BaseException):
    """Ends the script. No `except Exception` of the user's catches it."""


@dataclass(frozen=True)
class Caught:
    """A call that would have trained.

    Args:
        arguments: By their names, without the model.
        line: Of the script.
        thread: The thread that made it; empty for that of the script itself.
    """

    model: Any
    method: str
    arguments: dict[str, Any]
    line: int
    thread: str = ""


class Catch:
    """Keeps the first call that would train, and stops the script at each.

    Args:
        file: The script, as its code names it.
        child: Told the line where a child process would train.
    """

    def __init__(self, file: Path, child: ChildLine) -> None:
        self._file = str(file)
        self._child = child
        self._process = os.getpid()
        self._thread = threading.current_thread()
        self._stops = 0
        self._compiles = Compiles()
        self.call: Caught | None = None
        self.own_loop_line: int | None = None

    def wraps(self) -> Wraps:
        """What is put around Keras."""
        return {
            **self._compiles.wraps(),
            **dict.fromkeys(_TRAINING, self._training),
            Role.GRADIENTS_APPLIED: self._applying,
        }

    def jit_compile(self, model: Any) -> Any:
        """What `compile` was given last for a model; "auto" where nothing."""
        return self._compiles.jit_compile(model)

    def _training(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        def train(model: Any, *args: Any, **kwargs: Any) -> NoReturn:
            bound = inspect.signature(original).bind(model, *args, **kwargs).arguments
            given = dict(list(bound.items())[1:])
            line = self._line(sys._getframe(1))
            if os.getpid() != self._process:
                self._child.stop_here(line)
            if self.call is None:
                here = threading.current_thread()
                thread = "" if here is self._thread else here.name
                self.call = Caught(model, original.__name__, given, line, thread)
            self._stop()

        return train

    def _applying(self, *_: Any) -> Callable[..., Any]:
        def apply(*_args: Any, **_kwargs: Any) -> NoReturn:
            if self.own_loop_line is None:
                self.own_loop_line = self._line(sys._getframe(1))
            self._stop()

        return apply

    def _line(self, frame: FrameType | None) -> int:
        """The line of the script that led here; 0 where none did."""
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def _stop(self) -> NoReturn:
        """Leave the script; where it caught that some times, leave its handler as well."""
        self._stops += 1
        if self._stops > _PATIENCE:
            _raise_at_next_line(sys._getframe(2), self._file)
        raise Stopped


def _raise_at_next_line(frame: FrameType | None, file: str) -> None:
    """Raise once more at the next line that the script runs: the first of its `except:`."""

    def at_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            raise Stopped
        return at_line

    while frame is not None:
        if frame.f_code.co_filename == file:
            frame.f_trace = at_line
        frame = frame.f_back
    sys.settrace(lambda *_: None)
