"""A random batch: only shapes and dtypes matter for memory, and that no index is out of range."""

from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.inputs.models import describe
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.memory.training import Training
from fitguard.schema.model import ModelFacts

SAFE_BOUND = 2
"""Where nothing is known, whole numbers are 0 and 1: valid in any table, and for any labels."""


def random_batch(training: Training, batch_size: int) -> Any:
    """Arrays like `training.data`.

    Whole numbers of x are below the rows of the smallest Embedding that reads them, those of y
    below the smallest number of classes.
    """
    import numpy as np
    import tensorflow as tf

    random = np.random.default_rng(0)
    specs = training.specs(batch_size)
    bounds = _bounds(training)

    def one(spec: Any, bound: int) -> Any:
        shape, dtype = tuple(spec.shape.as_list()), spec.dtype
        if dtype == tf.string:
            return np.full(shape, b"a", dtype=object)
        if dtype.is_integer or dtype.is_bool:
            return random.integers(0, bound, shape).astype(dtype.as_numpy_dtype)
        return random.random(shape, dtype="float32").astype(dtype.as_numpy_dtype)

    def all_of(part: Any, bound: int) -> Any:
        return tf.nest.map_structure(lambda spec: one(spec, bound), part)

    if not isinstance(specs, tuple) or len(specs) > len(bounds):
        return all_of(specs, bounds[0] if not isinstance(specs, tuple) else SAFE_BOUND)
    return tuple(all_of(part, bound) for part, bound in zip(specs, bounds, strict=False))


def _bounds(training: Training) -> tuple[int, int, int]:
    """For x, y and sample weights."""
    if training.model is None:
        return SAFE_BOUND, SAFE_BOUND, SAFE_BOUND
    facts = ask(lambda: describe(training.model), None)
    return _rows(training.model, facts), _classes(facts), SAFE_BOUND


def _rows(model: Any, facts: ModelFacts | None) -> int:
    inputs = (facts.inputs if facts else None) or ()
    tables = [table.rows for one in inputs for table in one.tables]
    if not tables:
        embeddings = [layer for layer in sublayers(model) if is_a(layer, "Embedding")]
        tables = [trait(layer, "input_dim", SAFE_BOUND) for layer in embeddings]
    return max(1, min(tables, default=SAFE_BOUND))


def _classes(facts: ModelFacts | None) -> int:
    outputs = (facts.outputs if facts else None) or ()
    units = [(one.shape[-1] if one.shape else None) or one.units for one in outputs]
    return max(SAFE_BOUND, min((unit for unit in units if unit), default=SAFE_BOUND))
