"""What happens where a script would begin to train: the call is shown, and nothing is trained."""

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
from fitguard.memory.fit_call.looking_alone import LookingAlone
from fitguard.memory.fit_call.pretending import Pretense

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
        jit_compile: What `compile` was given; without a GPU the model itself does not tell.
        metrics: The names that `compile` was given, the loss first; empty where it was not seen.
        thread: The thread that made it; empty for that of the script itself.
        others: What there is to say of other processes that train along.
    """

    model: Any
    method: str
    arguments: dict[str, Any]
    line: int
    jit_compile: bool | str = "auto"
    metrics: tuple[str, ...] = ()
    thread: str = ""
    others: str = ""


class Catch:
    """Shows each call that would train, and stops the script there, or pretends that it trained.

    Args:
        file: The script, as its code names it.
        child: Is told the line where a child process would train.
        show: Is shown the call, while Keras is as ever; whether the script is to go on.
        pretense: What the script gets where it goes on; None where it never does.

    Attributes:
        compiles: What each model was compiled with.
        calls: How many were shown.
        alone: The processes that the script would train together with.
        own_loop_line: Where the script gives gradients to an optimizer itself; None where not.
    """

    def __init__(
        self,
        file: Path,
        child: ChildLine,
        show: Callable[[Caught], bool],
        pretense: Pretense | None = None,
    ) -> None:
        self._file = str(file)
        self._child = child
        self._show = show
        self._pretense = pretense or Pretense(lambda _: self.stop())
        self._process = os.getpid()
        self._thread = threading.current_thread()
        self._stops = 0
        self._is_showing = False
        self.compiles = Compiles()
        self.alone = LookingAlone(self.stop)
        self.calls = 0
        self.own_loop_line: int | None = None

    def wraps(self) -> Wraps:
        """What is put around Keras."""
        return {
            **self.compiles.wraps(),
            **self.alone.wraps(),
            **dict.fromkeys(_TRAINING, self._training),
            Role.EVALUATE: self._evaluating,
            Role.GRADIENTS_APPLIED: self._applying,
        }

    @property
    def has_stopped(self) -> bool:
        """Whether the script was left where it would train."""
        return self._stops > 0

    def stop(self) -> NoReturn:
        """Leave the script; where it caught that some times, leave its handler as well."""
        self._stops += 1
        if self._stops > _PATIENCE:
            _raise_at_next_line(sys._getframe(2), self._file)
        raise Stopped

    def line_of(self, frame: FrameType | None) -> int:
        """The line of the script that led to a frame; 0 where none did."""
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def _training(self, original: Callable[..., Any], library: Library) -> Callable[..., Any]:
        def train(model: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_showing:
                return original(model, *args, **kwargs)
            bound = inspect.signature(original).bind(model, *args, **kwargs).arguments
            given = dict(list(bound.items())[1:])
            line = self.line_of(sys._getframe(1))
            if os.getpid() != self._process:
                self._child.stop_here(line)
            here = threading.current_thread()
            call = Caught(
                model,
                original.__name__,
                given,
                line,
                jit_compile=self.compiles.jit_compile(model),
                metrics=tuple(self.compiles.metrics(model)),
                thread="" if here is self._thread else here.name,
                others=self.alone.describe(),
            )
            if self._goes_on(call):
                return self._pretense.pretend_training(call.method, model, given, library)
            return self.stop()

        return train

    def _goes_on(self, call: Caught) -> bool:
        if self._stops:
            return False
        self.calls += 1
        self._is_showing = True
        try:
            with self._pretense.pausing():
                return self._show(call)
        finally:
            self._is_showing = False

    def _evaluating(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        def evaluate(model: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_showing or not self._pretense.began:
                return original(model, *args, **kwargs)
            as_dict = bool(kwargs.get("return_dict"))
            return self._pretense.pretend_evaluation(self.compiles.metrics(model), as_dict=as_dict)

        return evaluate

    def _applying(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        def apply(*args: Any, **kwargs: Any) -> Any:
            if self._is_showing:
                return original(*args, **kwargs)
            if self.own_loop_line is None:
                self.own_loop_line = self.line_of(sys._getframe(1))
            return self.stop()

        return apply


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
