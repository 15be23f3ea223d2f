"""States of recurrent layers, of which a piece of a batch has the rows that belong to its own."""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from fitguard.contract.held_variables import unwrap_variable
from fitguard.contract.recurrent_states import (
    find_stateful,
    is_recurrent,
    put_states,
    read_states,
)
from fitguard.keras.microbatch.identity import identities
from fitguard.keras.microbatch.split import Split
from fitguard.schema.exit_codes import UsageError


def describe_stateful(model: Any) -> str:
    """Why the states of its layers keep a batch whole: a sentence; empty where they do not."""
    for layer in find_stateful(model):
        if not is_recurrent(layer):
            return (
                f"The layer {layer.name} is stateful, and is no recurrent layer of Keras: fitguard"
                " does not know which part of its state belongs to which row, so the batch cannot"
                " be split."
            )
        if model.run_eagerly or model.distribute_strategy.num_replicas_in_sync > 1:
            how = "runs eagerly" if model.run_eagerly else "has several replicas"
            return (
                f"The layer {layer.name} is stateful: it keeps one state for each row of the batch,"
                f" and the model {how}, so the batch cannot be split."
            )
    return ""


def list_states(model: Any) -> list[Any]:
    """The variables of all states."""
    return [
        unwrap_variable(state)
        for layer in find_stateful(model)
        for state in tf.nest.flatten(read_states(layer))
        if state is not None
    ]


def states_of(model: Any) -> set[int]:
    """Identities of the states: each piece leaves its own rows in them."""
    return {one for state in list_states(model) for one in identities(state)}


def require_rows(model: Any, whole: int) -> None:
    """Each row of the batch must have a state.

    Raises:
        UsageError: where it does not; Keras does not take such a batch either.
    """
    for state in list_states(model):
        if state.shape[0] != whole:
            raise UsageError(
                f"Received: a batch of {whole} rows, for a stateful layer that keeps the states of"
                f" {state.shape[0]}. Expected: as many rows in each batch."
            )


@contextlib.contextmanager
def own_rows(model: Any, split: Split) -> Iterator[None]:
    """Meanwhile stateful layers find the states of the rows of this piece."""
    held = [(layer, states) for layer in find_stateful(model) if (states := read_states(layer))]
    for layer, states in held:
        put_states(layer, _take_rows(states, split))
    try:
        yield
    finally:
        for layer, states in held:
            put_states(layer, states)


def _take_rows(states: Any, split: Split) -> Any:
    if isinstance(states, list | tuple):
        return [_take_rows(one, split) for one in states]
    return _Rows(unwrap_variable(states), split)


class _Rows:
    """Stands where a layer looks for the variable of a state."""

    def __init__(self, variable: Any, split: Split) -> None:
        self._variable = variable
        self._split = split
        self.dtype = variable.dtype
        self.shape = tf.TensorShape([None, *variable.shape[1:]])

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """TensorFlow's name for how it becomes a tensor."""
        rest = self._variable.shape[1:]
        begin = [self._split.start, *[0] * len(rest)]
        rows = tf.slice(self._variable, begin, [self._split.rows, *rest], name=name)
        return rows if dtype is None else tf.cast(rows, dtype)

    def assign(self, value: Any, name: str | None = None) -> None:  # noqa: ARG002
        """Leave what the piece makes of them; the rows of other pieces stay."""
        value = tf.cast(value, self.dtype)
        places = self._split.start + tf.range(self._split.rows)
        moved = tf.tensor_scatter_nd_update(self._variable, places[:, None], value)
        self._variable.assign(moved)
