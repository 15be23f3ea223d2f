"""Shapes in place of data: `(None, 224, 224, 3)`, `tf.TensorSpec`, `keras.Input`."""

from collections.abc import Mapping
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.inputs.models.asking import trait
from fitguard.inputs.sources.kinds import descends
from fitguard.inputs.sources.matching import find_port
from fitguard.inputs.sources.structure import is_nested
from fitguard.memory.preparation.specs import Spec, lengths, spec
from fitguard.schema.data import Role
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts, ModelInput


def is_shape(given: Any) -> bool:
    """Whether it stands for one array by its shape, with or without a dtype."""
    return _is_symbol(given) or _is_axes(given)


def has_shapes(structure: Any) -> bool:
    """Whether it is a shape, or a list or dict of shapes."""
    if is_shape(structure):
        return True
    if not is_nested(structure) or not structure:
        return False
    items = structure.values() if isinstance(structure, Mapping) else structure
    return all(has_shapes(item) for item in items)


def of_shapes(structure: Any, role: Role, model: ModelFacts) -> Any:
    """The same structure with a spec for each shape, the batch as it was given.

    A shape without a dtype gets that of the model's input; what stands for labels is float32.
    """
    return _of(structure, role, None, model)


def _of(structure: Any, role: Role, key: str | int | None, model: ModelFacts) -> Any:
    if is_shape(structure):
        return _one(structure, role, key, model)
    if isinstance(structure, Mapping):
        return {
            inner: _of(item, role, key if key is not None else inner, model)
            for inner, item in structure.items()
        }
    # `fit` makes tuples of lists.
    return tuple(
        _of(item, role, key if key is not None else inner, model)
        for inner, item in enumerate(structure)
    )


def _one(given: Any, role: Role, key: str | int | None, model: ModelFacts) -> Spec:
    if _is_symbol(given):
        return spec(lengths(given), given.dtype)
    target = find_port(model, role, key)
    axes = tuple(given.as_list()) if hasattr(given, "as_list") else tuple(given)
    return spec(_with_batch(axes, target), _dtype(target))


def _with_batch(axes: tuple[int | None, ...], target: Any) -> tuple[int | None, ...]:
    """With a batch axis in front, where it was left out: told by the number of axes."""
    known = trait(target, "shape")
    if axes[0] is None or (known is not None and len(axes) == len(known)):
        return axes
    if known is not None and len(axes) == len(known) - 1:
        return (None, *axes)
    raise UsageError(
        f"Received the shape {axes}, of which it is not clear whether it begins with the batch. "
        f"Expected None in its place: {(None, *axes[1:])} or {(None, *axes)}"
    )


def _dtype(target: Any) -> str:
    if not isinstance(target, ModelInput):
        return "float32"
    # A model that is not built does not declare what it takes; an Embedding tells.
    return "int32" if target.shape is None and target.tables else target.dtype


def _is_symbol(given: Any) -> bool:
    return descends(given, "tensorflow", "TensorSpec") or is_a(given, "KerasTensor")


def _is_axes(given: Any) -> bool:
    if descends(given, "tensorflow", "TensorShape"):
        return given.rank is not None and given.rank > 0
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(axis is None or type(axis) is int for axis in given)
    )
