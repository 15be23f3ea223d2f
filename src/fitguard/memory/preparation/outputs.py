"""What a model gives for a batch, and its building: both by tracing it once, where needed."""

import warnings
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.tensors import dtype_of, shape_of
from fitguard.inputs.models.weights import has_all_weights
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.memory.preparation.specs import lengths, spec
from fitguard.schema.exit_codes import UsageError

_SOME_BATCH = 3


def outputs(model: Any, x: Any) -> Any:
    """The specs of the model's outputs in their structure; the model is built afterwards.

    Args:
        x: The specs of its inputs.

    Raises:
        UsageError: where the model cannot be called with them.
    """
    known = ask(lambda: _read_declared_outputs(model), None) if has_all_weights(model) else None
    if known is not None and not _has_open_axes(known):
        return known
    try:
        return _trace_outputs(model, x)
    except Exception as error:  # whatever the user's layers raise
        shapes = _format_specs(x)
        raise UsageError(
            f"Received a {type(model).__name__} that cannot be called with {shapes}: "
            f"{in_one_line(error)[:400]}. Expected x as the model takes it"
        ) from error


def _read_declared_outputs(model: Any) -> Any:
    """What a functional or sequential model knows."""
    functional = functional_of(model)
    if functional is None:
        return None
    return _build_specs(functional.outputs[0] if is_a(model, "Sequential") else functional.output)


def _build_specs(structure: Any) -> Any:
    if isinstance(structure, dict):
        return {key: _build_specs(item) for key, item in structure.items()}
    if isinstance(structure, list | tuple):
        return tuple(_build_specs(item) for item in structure)
    return spec((None, *(shape_of(structure) or (None, None))[1:]), dtype_of(structure))


def _has_open_axes(structure: Any) -> bool:
    import tensorflow as tf

    return any(None in lengths(one)[1:] for one in tf.nest.flatten(structure))


def _trace_outputs(model: Any, x: Any) -> Any:
    import tensorflow as tf

    with warnings.catch_warnings(), model.distribute_strategy.scope():
        warnings.simplefilter("ignore")  # what Keras says of the model, it says again in `fit`
        forward = tf.function(
            lambda given: model(given), autograph=recognise(model).generation == 2
        )
        try:
            found = forward.get_concrete_function(x).structured_outputs
        except Exception:  # some layers need to know the batch: one of them is as good as another
            sized = tf.nest.map_structure(
                lambda one: tf.TensorSpec((one.shape[0] or _SOME_BATCH, *one.shape[1:]), one.dtype),
                x,
            )
            found = forward.get_concrete_function(sized).structured_outputs
    return tf.nest.map_structure(lambda one: spec((None, *one.shape[1:]), one.dtype), found)


def _format_specs(x: Any) -> str:
    import tensorflow as tf

    return ", ".join(f"{one.dtype.name}{lengths(one)}" for one in tf.nest.flatten(x))
