"""The validation data of a guarded `fit`: their order matters to the last bit of `val_loss`."""

import contextlib
import sys
import weakref
from collections.abc import Iterator
from typing import Any

from fitguard.contract.random_state import keeping_random_state
from fitguard.keras.position.iterators import iterators_made, make_iterators
from fitguard.keras.position.python_state import PythonState

_FRAMES = 7


class Validation:
    """How often the validation data were iterated, and what changed in them.

    Keras makes their iterator at the first validation: what earlier ones did is caught up then.

    Args:
        saved: What `read` gave in the process that died.
    """

    def __init__(self, saved: dict[str, Any] | None) -> None:
        self._saved = saved
        self._dataset: Any = lambda: None
        self._python = PythonState({})
        self._beside: PythonState | None = None
        self._made_before = 0
        self._training: tuple[int, ...] = ()

    def note_training_data(self, dataset: Any, data: Any, python: PythonState) -> None:
        """These are the training data; the same objects may serve for both."""
        self._training = (id(dataset), id(data)) if data is not None else (id(dataset),)
        self._beside = python

    def follow(self, dataset: Any, data: Any, roots: dict[str, Any]) -> None:
        """Keras has made the validation data: only the first time counts.

        Args:
            roots: Where the ways into their Python objects begin.
        """
        if self._dataset() is not None or {id(dataset), id(data)} & {*self._training}:
            # What training and validation share is led back with the training data.
            return
        self._dataset = weakref.ref(dataset)
        self._python = PythonState(roots, self._beside)
        self._made_before = iterators_made(dataset)
        if self._saved:
            make_iterators(dataset, self._saved["iterators"])
            self._python.write(self._saved["python"])

    @contextlib.contextmanager
    def remaking_data(self) -> Iterator[None]:
        """Around Keras making data: to learn shapes it reads a batch, which may draw.

        An undisturbed run does so once, at its first validation.
        """
        is_again = self._saved is not None and self._dataset() is None and is_called_by_fit()
        with keeping_random_state() if is_again else contextlib.nullcontext():
            yield

    def read(self) -> dict[str, Any] | None:
        dataset = self._dataset()
        if dataset is None:
            return self._saved
        made = iterators_made(dataset) - self._made_before
        return {"iterators": made, "python": self._python.read()}


def is_called_by_fit() -> bool:
    """Whether `fit` itself makes what is being made, and not `evaluate` or `predict`."""
    frame = sys._getframe(2)
    for _ in range(_FRAMES):
        if frame.f_code.co_name in ("fit", "evaluate", "predict"):
            return frame.f_code.co_name == "fit"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return False
