"""A `fit` call that ended in an earlier attempt: its end is made again, nothing is trained."""

import contextlib
from collections.abc import Callable, Collection, Iterator
from typing import Any

from fitguard.contract.libraries import Library, is_a
from fitguard.keras.fitting.recording import TrainingState, data_of, model_arrays
from fitguard.keras.position import iterators_made, pass_finished
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.model_state import ModelState
from fitguard.keras.traced import trace

_QUIET = {"callbacks": None, "verbose": 0, "validation_data": None, "validation_split": 0.0}


def restore_end(
    model: Any,
    library: Library,
    original: Callable[..., Any],
    arguments: dict[str, Any],
    ended: Content,
    changed: Collection[Any],
) -> list[str]:
    """Give model, data, callbacks and random numbers the state they had; what is not exact."""
    x, data = arguments.get("x"), ended.document["data"]
    made_before = iterators_made(x)
    callbacks = _callback_list(model, library, arguments)
    state = TrainingState(model, callbacks.callbacks, data_of(arguments), changed)
    state.write_then(ended)
    _build(model, library, original, arguments, ended)
    model.history = next(one for one in callbacks.callbacks if is_a(one, "History"))
    notes = []
    if data is not None:
        made = iterators_made(x) - made_before
        notes = pass_finished(x, {**data, "iterators": data["iterators"] - made})
    return [*notes, *state.write(ended)]


def _build(
    model: Any,
    library: Library,
    original: Callable[..., Any],
    arguments: dict[str, Any],
    ended: Content,
) -> None:
    """Make the variables that `fit` makes; Keras 3 makes most of them without any data."""
    no_step = {"epochs": 0}
    one_step = {"epochs": 1, "initial_epoch": 0, "steps_per_epoch": 1}
    for more in (no_step, one_step) if library.generation == 3 else (one_step,):
        if not ModelState(model).missing(model_arrays(ended)):
            return
        with _not_run(model):
            original(model, **{**arguments, "x": _as_zeros(arguments.get("x")), **_QUIET, **more})


def _as_zeros(x: Any) -> Any:
    """A batch of zeros for a dataset: to read that itself would move what it shares with others."""
    import tensorflow as tf

    specs = tf.nest.flatten(x.element_spec) if isinstance(x, tf.data.Dataset) else []
    if not specs or not all(_is_known(spec) for spec in specs):
        return x
    batch = tf.nest.map_structure(
        lambda spec: tf.zeros([length or 1 for length in spec.shape], spec.dtype), x.element_spec
    )
    return tf.data.Dataset.from_tensors(batch)


def _is_known(spec: Any) -> bool:
    """Whether all but the number of rows is told."""
    import tensorflow as tf

    known = isinstance(spec, tf.TensorSpec) and spec.shape.rank
    return bool(known) and all(length is not None for length in spec.shape[1:])


@contextlib.contextmanager
def _not_run(model: Any) -> Iterator[None]:
    """Where Keras takes a step, the step is traced, and that is the end."""
    before = model.train_function

    def only_trace(iterator: Any) -> None:
        model.train_function = before
        model.make_train_function()
        if not trace(model.train_function, iterator):
            model.train_function(iterator)
        raise _Traced

    model.train_function = only_trace
    try:
        yield
    except _Traced:
        pass
    finally:
        if model.train_function is only_trace:
            model.train_function = before


class _Traced(Exception):
    """All is there that the first step makes."""


def _callback_list(model: Any, library: Library, arguments: dict[str, Any]) -> Any:
    """The callbacks as `fit` would have arranged them, none of them called."""
    cls: Any = library.module("callbacks").CallbackList
    given = arguments.get("callbacks")
    if isinstance(given, cls):
        return given
    verbose = arguments.get("verbose", "auto")
    return cls(
        given,
        add_history=True,
        add_progbar=verbose != 0,
        model=model,
        verbose=1 if verbose == "auto" else verbose,
        epochs=arguments.get("epochs", 1),
        steps=arguments.get("steps_per_epoch"),
    )
