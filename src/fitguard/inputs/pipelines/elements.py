"""The elements of a dataset, from their specification."""

from typing import Any


def element_bytes(spec: Any, batch_size: int | None) -> int | None:
    """The size of one element; None where it cannot be known.

    Args:
        batch_size: Stands for a first axis that is open.
    """
    import tensorflow as tf

    sizes = [_component_bytes(part, batch_size) for part in tf.nest.flatten(spec)]
    known = [size for size in sizes if size is not None]
    return sum(known) if known and len(known) == len(sizes) else None


def element_text(spec: Any) -> str:
    """The element in words: `(float32[None, 28, 28], int32[None])`."""
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{key!r}: {element_text(part)}" for key, part in spec.items()) + "}"
    if isinstance(spec, list | tuple):
        inner = ", ".join(element_text(part) for part in spec)
        return f"({inner},)" if len(spec) == 1 else f"({inner})"
    shape = getattr(spec, "shape", None)
    dtype = getattr(getattr(spec, "dtype", None), "name", None)
    kind = type(spec).__name__
    if dtype is None:
        return kind.removesuffix("Spec")
    prefix = "" if kind == "TensorSpec" else kind.removesuffix("TensorSpec").lower() + " "
    return f"{prefix}{dtype}{_shape_text(shape)}"


def _shape_text(shape: Any) -> str:
    if shape is None or shape.rank is None:
        return "[…]"
    return "[" + ", ".join(str(length) for length in shape.as_list()) + "]"


def _component_bytes(spec: Any, batch_size: int | None) -> int | None:
    shape = getattr(spec, "shape", None)
    item_bytes = getattr(getattr(spec, "dtype", None), "size", 0)
    if type(spec).__name__ != "TensorSpec" or shape is None or shape.rank is None:
        return None
    if spec.dtype.name in ("string", "variant", "resource"):
        return None
    lengths = shape.as_list()
    if lengths and lengths[0] is None:
        lengths[0] = batch_size
    size = int(item_bytes)
    for length in lengths:
        if length is None:
            return None
        size *= length
    return size
