"""Evaluation and prediction of a batch in pieces."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from fitguard.contract.libraries import has_own_step
from fitguard.keras.microbatch import cutting
from fitguard.keras.microbatch.cutting import Layout
from fitguard.keras.microbatch.joined_logs import PieceLogs, join_replicas
from fitguard.keras.microbatch.library import library_of
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.stepping import Stepping
from fitguard.keras.microbatch.steppings import Steppings


def split_evaluation(
    model: Any, *, jit_compile: bool | None = None, element_spec: Any = None
) -> Callable[[Any, int], Any]:
    """A test step that cuts each batch into pieces: `(batch, rows) -> logs`.

    The logs, and the metrics behind them, are those of the model's own test function.
    """
    library = library_of(model)
    own_step = has_own_step(model, "test_step")

    def piece(data: Any, split: Split) -> Any:
        return model.test_step(data) if own_step else library.evaluate_piece(model, data, split)

    steppings = _cut(
        model,
        piece,
        jit_compile,
        exact=not own_step,
        rows_are_known=cutting.says_rows(element_spec),
    )

    def evaluate(batch: Any, rows: int) -> Any:
        layout, leaves = cutting.read_shares(model.distribute_strategy, batch)
        stepping = steppings.of(layout, leaves)
        library.count_step(model, training=False)
        logs: list[list[PieceLogs]] = [[] for _ in leaves]
        for replica, share, returned in stepping.pieces(leaves, rows):
            logs[replica].append(PieceLogs(share, returned))
        return join_replicas(library, model, logs, stepping.findings)

    return evaluate


def _cut(
    model: Any, piece: Callable[[Any, Split], Any], jit_compile: bool | None, **more: Any
) -> Steppings:
    """The function of a piece, for each layout of the batches."""
    jit = bool(model.jit_compile if jit_compile is None else jit_compile)

    def make(layout: Layout, leaves: list[list[Any]], specs: list[Any] | None) -> Stepping:
        library = library_of(model)
        return Stepping(
            library, model, piece, layout, leaves, specs, training=False, jit=jit, **more
        )

    return Steppings(make)


def split_prediction(model: Any, *, jit_compile: bool | None = None) -> Callable[[Any, int], Any]:
    """A predict step that cuts each batch into pieces: `(batch, rows) -> outputs`.

    The outputs of the pieces are joined along the first axis; those of replicas too.
    """

    def piece(data: Any, _: Split) -> Any:
        return model.predict_step(data)

    steppings = _cut(model, piece, jit_compile, trial=piece, exact=False, rows_are_known=False)

    def predict(batch: Any, rows: int) -> Any:
        layout, leaves = cutting.read_shares(model.distribute_strategy, batch)
        outputs: list[list[Any]] = [[] for _ in leaves]
        for replica, _, output in steppings.of(layout, leaves).pieces(leaves, rows):
            outputs[replica].append(output)
        return tf.nest.map_structure(_join_parts, *(one for each in outputs for one in each))

    return predict


def _join_parts(*parts: Any) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], tf.SparseTensor):
        return tf.sparse.concat(axis=0, sp_inputs=list(parts))
    return tf.concat(parts, axis=0)
