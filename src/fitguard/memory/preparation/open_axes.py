"""Axes of unknown length: filled from the model, else asked for."""

from collections.abc import Sequence
from typing import Any

from fitguard.inputs.sources.structure import leaves
from fitguard.memory.preparation.specs import Spec, lengths
from fitguard.schema.data import Role
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import Shape


def close(structure: Any, role: Role, known: Sequence[Shape | None]) -> Any:
    """The same specs, each open axis but the batch filled.

    Args:
        known: What the model tells about each of them, in the order of `tf.nest`.

    Raises:
        UsageError: where the model leaves it open, too.
    """
    import tensorflow as tf

    flat = tf.nest.flatten(structure)
    names = [leaf.name for leaf in leaves(structure, role)]
    told = known if len(known) == len(flat) else [None] * len(flat)
    closed = [_close_spec(*one) for one in zip(flat, names, told, strict=True)]
    return tf.nest.pack_sequence_as(structure, closed)


def _close_spec(one: Spec, name: str, known: Shape | None) -> Spec:
    import tensorflow as tf

    if one.shape.rank is None:
        if known is None:
            raise UsageError(
                f"Received {name}, of which not even the number of axes is known. Expected a shape "
                "in place of the data: (None, 224, 224, 3)"
            )
        one = tf.TensorSpec((None,) * len(known), one.dtype, one.name)
    shape = _fill_shape(lengths(one), known)
    if None in shape[1:]:
        raise UsageError(_describe_open_axes(name, shape))
    return tf.TensorSpec(shape, one.dtype, one.name)


def _fill_shape(given: Shape, known: Shape | None) -> Shape:
    if known is None or len(known) != len(given):
        return given
    behind = zip(given[1:], known[1:], strict=True)
    return (*given[:1], *(other if own is None else own for own, other in behind))


def _describe_open_axes(name: str, shape: Shape) -> str:
    places = [place for place, length in enumerate(shape) if length is None and place]
    axes = f"axis {places[0]} is" if len(places) == 1 else f"axes {places} are"
    example = (None, *(128 if length is None else length for length in shape[1:]))
    return (
        f"Received {name} with the shape {shape}: {axes} open, and the memory depends on the "
        f"length. Expected a shape with the length that you train with: {example}, as "
        f"{name.partition('[')[0]} in place of the data"
    )
