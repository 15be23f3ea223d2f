"""State for variables that a model gets only when it begins to train."""

import contextlib
import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from fitguard.keras.state.variables import ModelState
from fitguard.memory.fit_call.patching import patched

_OF_METRICS = re.compile(
    r"(^|\.)(_loss_tracker|_compile_metrics|_compile_loss|compiled_loss|compiled_metrics|_metrics)\."
)
"""Each epoch begins with new ones."""

States = dict[int, dict[str, np.ndarray]]


@contextlib.contextmanager
def prepared_fits(states: States, global_names: list[str]) -> Iterator[None]:
    """Give models their state at the beginning of their first `fit` inside.

    Args:
        states: By the `id` of the model; those that arrived are removed.
        global_names: Whose values belong into snapshots, too.
    """

    def wrap(library: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
            more = _callbacks(library, states.pop(id(model), None), global_names)
            bound = inspect.signature(original).bind(model, *args, **kwargs).arguments
            given = dict(list(bound.items())[1:])
            if more and not hasattr(given.get("callbacks"), "on_train_begin"):
                given["callbacks"] = [*more, *(given.get("callbacks") or ())]
            return original(model, **given)

        return fit

    methods = {
        "keras.src.backend.tensorflow.trainer": {
            ("TensorFlowTrainer", "fit"): functools.partial(wrap, "keras")
        },
        "tf_keras.src.engine.training": {("Model", "fit"): functools.partial(wrap, "tf_keras")},
    }
    with patched(methods):
        yield


def _callback(library: str, arrays: Mapping[str, np.ndarray]) -> Any:
    base: Any = importlib.import_module(f"{library}.callbacks").Callback

    class ArrivingState(base):  # type: ignore[misc]
        """Writes the state when all variables are there, before the first step."""

        def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
            _write(self.model, arrays)

        def get_state(self) -> dict[str, Any]:
            """Nothing has to be kept: a snapshot has all of the model."""
            return {}

        def set_state(self, state: Any) -> None:
            """Nothing was kept."""

    return ArrivingState()


def _write(model: Any, arrays: Mapping[str, np.ndarray]) -> None:
    state = ModelState(model)
    if state.missing(arrays) and hasattr(model.optimizer, "build"):
        # tf_keras makes the slots of its optimizers in the first step.
        model.optimizer.build(model.trainable_variables)
    lost = [name for name in state.missing(arrays) if not _OF_METRICS.search(name)]
    if lost or state.misfit(arrays):
        raise ValueError(
            f"The model that was made again here is not that of the notebook: "
            f"{state.misfit(arrays) or 'it has no variable ' + lost[0]}. Pass a function that "
            "builds and compiles it: fitguard.fit(build_model, x, y)."
        )
    state.write(arrays)


