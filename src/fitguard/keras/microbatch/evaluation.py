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
    jit = bool(model.jit_compile if jit_compile is None else jit_compile)

    def piece(data: Any, split: Split) -> Any:
        return model.test_step(data) if own_step else library.evaluate_piece(model, data, split)

    def make(layout: Layout, leaves: list[list[Any]], specs: list[Any] | None) -> Stepping:
        return Stepping(
            library,
            model,
            piece,
            layout,
            leaves,
            specs,
            training=False,
            jit=jit,
            exact=not own_step,
            rows_are_known=cutting.says_rows(element_spec),
        )

    steppings = Steppings(make)

    def evaluate(batch: Any, rows: int) -> Any:
        layout, leaves = cutting.read_shares(model.distribute_strategy, batch)
        stepping = steppings.of(layout, leaves)
        library.count_step(model, training=False)
        logs: list[list[PieceLogs]] = [[] for _ in leaves]
        for replica, share, returned in stepping.pieces(leaves, rows):
            logs[replica].append(PieceLogs(share, returned))
        return join_replicas(library, model, logs, stepping.findings)

    return evaluate


def split_prediction(model: Any, *, jit_compile: bool | None = None) -> Callable[[Any, int], Any]:
    """A predict step that cuts each batch into pieces: `(batch, rows) -> outputs`.

    The outputs of the pieces are joined along the first axis; those of replicas too.
    """
    library = library_of(model)
    jit = bool(model.jit_compile if jit_compile is None else jit_compile)

    def piece(data: Any, _: Split) -> Any:
        return model.predict_step(data)

    def make(layout: Layout, leaves: list[list[Any]], specs: list[Any] | None) -> Stepping:
        return Stepping(
            library,
            model,
            piece,
            layout,
            leaves,
            specs,
            trial=piece,
            training=False,
            jit=jit,
            exact=False,
            rows_are_known=False,
        )

    steppings = Steppings(make)

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
