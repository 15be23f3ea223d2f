"""Stands where Keras looks for its test or predict function, and takes a few rows at a time."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.compiling import find_compiled_loss, steps_per_execution
from fitguard.keras.fitting.replicas import starves
from fitguard.keras.position import iterator_over

Split = Callable[[Any, int], Any]
"""Works on a batch, so many rows at a time."""

_KNOWN = "_fitguard_pieces"


@contextlib.contextmanager
def in_pieces(model: Any, function: str, rows: int | None) -> Iterator[None]:
    """Keras finds a function in the place of its own that takes so many rows at a time.

    Args:
        function: `test_function` or `predict_function`.
        rows: None for Keras' own.
    """
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import describe_inseparable

    if rows is None or describe_inseparable(model):
        yield
        return
    # Not by `setattr`, which looks for variables in it. Validation comes again after each epoch.
    known: _Known = vars(model).setdefault(_KNOWN, _Known())
    native = getattr(model, function)
    joins = function == "predict_function"
    pieces = _Pieces(model, native, known.split(model, function), rows, joins)
    setattr(model, function, pieces)
    try:
        yield
    finally:
        setattr(model, function, native)


class _Known:
    """What was traced for a model, since it was compiled."""

    def __init__(self) -> None:
        self._splits: dict[str, Split] = {}
        self._compiled: Any = None

    def split(self, model: Any, function: str) -> Split:
        from fitguard.keras.microbatch import split_evaluation, split_prediction

        compiled = find_compiled_loss(model)
        if compiled is not self._compiled:
            self._splits, self._compiled = {}, compiled
        if function not in self._splits:
            make = split_evaluation if function == "test_function" else split_prediction
            self._splits[function] = make(model)
        return self._splits[function]


class _Pieces:
    """Called by Keras with its data.

    Args:
        native: Keras' own function.
        joins: Outputs come one behind the other; without it, the logs of the last batch count.
    """

    def __init__(
        self, model: Any, native: Callable[[Any], Any], split: Split, rows: int, joins: bool
    ) -> None:
        self._model = model
        self._native = native
        self._split = split
        self._rows = rows
        self._joins = joins

    def __call__(self, data: Any) -> Any:
        # Keras 3 gives `predict` a list of batches; all others give an iterator.
        batches = data if isinstance(data, list) else self._next_of(data)
        results = [self._run(batch, data) for batch in batches]
        if not results:
            raise StopIteration
        return _join_results(results) if self._joins else results[-1]

    def _run(self, batch: Any, data: Any) -> Any:
        if starves([batch]):
            return self._native([batch] if isinstance(data, list) else iterator_over([batch], data))
        return self._split(batch, self._rows)

    def _next_of(self, iterator: Any) -> Iterator[Any]:
        """As many as one call takes."""
        for _ in range(steps_per_execution(self._model)):
            try:
                yield next(iterator)
            except StopIteration:
                return


def _join_results(results: list[Any]) -> Any:
    import tensorflow as tf

    if len(results) == 1:
        return results[0]
    return tf.nest.map_structure(lambda *parts: tf.concat(parts, axis=0), *results)
