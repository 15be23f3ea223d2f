"""What a script gets that goes on after a `fit` which did not train: no numbers, and no writing.

So the second `fit` of transfer learning can be looked at without training the first. Nothing that
the script makes of a result it does not have may replace a file of the user's.
"""

import contextlib
import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.callbacks import list_callbacks
from fitguard.contract.libraries import Library, is_a
from fitguard.memory.fit_call.open_files import list_open_files
from fitguard.memory.fit_call.write_aside import WriteAside

FOLLOW_SECONDS = 30.0
"""So long a script may go on in all, beside what looking at its calls takes."""
_OF_WEIGHTS = ("save_weights", "export", "load_weights")


class Pretense:
    """Stands in for the training that was left out.

    Args:
        refuse: Is told why the script cannot go on, and raises.

    Attributes:
        began: Whether a `fit` has been left out.
    """

    def __init__(self, refuse: Callable[[str], Any]) -> None:
        self.began = False
        self._before = list_open_files()
        self._refuse = refuse
        self._stack = contextlib.ExitStack()
        self._saving: set[type] = set()

    def pretend_training(
        self, method: str, model: Any, given: dict[str, Any], library: Library
    ) -> Any:
        """What `fit` or `train_on_batch` returns."""
        self._begin()
        self._save_nothing(type(model))
        for callback in list_callbacks(given.get("callbacks")):
            if is_a(callback, "ModelCheckpoint") and not callback.save_weights_only:
                model.save(callback.filepath)
        if method == "train_on_batch":
            return {"loss": math.nan} if given.get("return_dict") else math.nan
        history = library.module("callbacks").History()
        history.set_model(model)
        epochs = range(int(given.get("initial_epoch") or 0), int(given.get("epochs") or 1))
        history.epoch = list(epochs)
        history.history = _NoNumbers(len(epochs))
        model.history = history
        return history

    def pretend_evaluation(self, metrics: list[str], *, as_dict: bool) -> Any:
        """What `evaluate` returns."""
        if as_dict:
            return dict.fromkeys(metrics, math.nan)
        return [math.nan] * len(metrics) if len(metrics) > 1 else math.nan

    @contextlib.contextmanager
    def pausing(self) -> Iterator[None]:
        """While a call is looked at, time does not count and files are as ever."""
        if not self.began:
            yield
            return
        left = signal.setitimer(signal.ITIMER_REAL, 0)[0] if _can_wake() else 0.0
        with self._aside.pausing():
            yield
        if left:
            signal.setitimer(signal.ITIMER_REAL, left)

    def end(self) -> None:
        """Give Keras and Python their own functions back."""
        self._stack.close()

    def _begin(self) -> None:
        if self.began:
            return
        self.began = True
        self._aside = self._stack.enter_context(WriteAside(self._before, self._refuse))
        if _can_wake():
            before = signal.signal(signal.SIGALRM, self._wake)
            self._stack.callback(signal.signal, signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, FOLLOW_SECONDS)
            self._stack.callback(signal.setitimer, signal.ITIMER_REAL, 0)

    def _wake(self, *_: Any) -> None:
        self._refuse(f"it takes longer than {FOLLOW_SECONDS:.0f} s")

    def _save_nothing(self, cls: type) -> None:
        """The weights are not what they would be: they are neither written nor read.

        Only a model that the script itself loads again is saved, aside.
        """
        for base in cls.__mro__:
            if base in self._saving:
                continue
            self._saving.add(base)
            instead = dict.fromkeys(_OF_WEIGHTS, _do_nothing)
            if "save" in vars(base):
                instead["save"] = self._promise_to(vars(base)["save"])
            for name in instead.keys() & vars(base).keys():
                self._stack.callback(setattr, base, name, vars(base)[name])
                setattr(base, name, instead[name])

    def _promise_to(self, save: Callable[..., Any]) -> Callable[..., None]:
        def promise(model: Any, filepath: Any = None, *args: Any, **kwargs: Any) -> None:
            self._aside.promise(filepath, lambda place: save(model, place, *args, **kwargs))

        return promise


def _can_wake() -> bool:
    return threading.current_thread() is threading.main_thread() and os.name == "posix"


def _do_nothing(*_: Any, **__: Any) -> None:
    return None


class _NoNumbers(dict[str, list[float]]):
    """Any metric that the script asks for, without a number in any epoch."""

    def __init__(self, epochs: int) -> None:
        super().__init__(loss=[math.nan] * epochs, val_loss=[math.nan] * epochs)
        self._epochs = epochs

    def __missing__(self, name: str) -> list[float]:
        return [math.nan] * self._epochs
