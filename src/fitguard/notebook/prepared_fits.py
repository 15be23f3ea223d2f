"""What is put into each `fit` call of the training process of a notebook: one more callback.

It gives a model the state of variables that it only gets when it begins to train, and adds the
global values of carried code to the snapshots.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import patching
from fitguard.keras.state.model_state import ModelState
from fitguard.notebook.carried_globals import put_values, values_of

States = dict[int, dict[str, np.ndarray]]
Names = Callable[[], Iterable[str]]


@contextlib.contextmanager
def preparing_fits(states: States, global_names: Names) -> Iterator[None]:
    """Prepare all `fit` calls inside.

    Args:
        states: For models that do not have all variables yet, by `id`; used once.
        global_names: Whose values belong into snapshots.
    """

    def wrap(original: Callable[..., Any], library: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
            callback = _callback(library, states.pop(id(model), {}), global_names)
            bound = inspect.signature(original).bind(model, *args, **kwargs).arguments
            given = dict(list(bound.items())[1:])
            given["callbacks"] = _with_first(callback, given.get("callbacks"), model)
            return original(model, **given)

        return fit

    with patching({Role.FIT: wrap}):
        yield


def _with_first(callback: Any, given: Any, model: Any) -> Any:
    if type(given).__name__ == "CallbackList":
        callback.set_model(model)
        given.callbacks.insert(0, callback)
        return given
    if given is None:
        return [callback]
    return [callback, *(given if isinstance(given, list | tuple) else [given])]


def _callback(library: Library, arrays: Mapping[str, np.ndarray], global_names: Names) -> Any:
    base: Any = library.module("callbacks").Callback

    class NotebookState(base):  # type: ignore[misc]
        """First of all callbacks: the others find the model as it was in the notebook."""

        def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
            if arrays:
                _write(self.model, arrays)

        def get_state(self) -> dict[str, Any]:
            """What a snapshot keeps."""
            return values_of(global_names())

        def set_state(self, state: dict[str, Any]) -> None:
            """What a snapshot gives back."""
            put_values(state)

    return NotebookState()


def _write(model: Any, arrays: Mapping[str, np.ndarray]) -> None:
    state = ModelState(model)
    if state.missing(arrays) and hasattr(model.optimizer, "build"):
        # Keras 2 makes the slots of its optimizers in the first step.
        model.optimizer.build(model.trainable_variables)
    lost = state.missing(arrays)
    if lost or state.misfit(arrays):
        raise ValueError(
            f"The model that was made again here is not that of the notebook: "
            f"{state.misfit(arrays) or 'it has no variable ' + lost[0]}. Pass a function that "
            "builds and compiles it: fitguard.fit(build_model, x, y)."
        )
    state.write(arrays)
