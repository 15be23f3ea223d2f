"""`validation_split`: the last part of the arrays is held out, as `fit` does it."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fitguard.inputs.sources.arrays import container, read_variable
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.kinds import descends, kind_of, require_arrays
from fitguard.inputs.sources.structure import Element, Leaf, is_nested, leaves
from fitguard.inputs.sources.tables import in_blocks
from fitguard.schema.exit_codes import UsageError


def split(element: Element, share: float) -> tuple[Element, tuple[Any, ...]]:
    """What remains for training, and the validation data; views, not copies.

    Raises:
        UsageError: for data that cannot be split.
    """
    if kind_of(element.x) != "arrays":
        raise UsageError(
            f"Received validation_split={share!r} with a {type(element.x).__name__}. Expected "
            "arrays; give validation_data instead"
        )
    for role, part in element.parts():
        require_arrays(part, role)
    length = min(_length(leaf) for leaf in leaves(element.x, "x"))
    border = math.floor(length * (1 - share))
    return (
        Element(*(_slice_structure(part, slice(0, border)) for part in element)),
        tuple(_slice_structure(part, slice(border, None)) for part in element if part is not None),
    )


def _length(leaf: Leaf) -> int:
    try:
        return int(leaf.value.shape[0])
    except Exception:  # a single value, a tensor without a shape, a class of the user's
        raise UsageError(
            f"Received {leaf.name}, a {type(leaf.value).__name__} of no known length, with "
            "validation_split. Expected an array with samples along its first axis"
        ) from None


def _slice_structure(structure: Any, part: slice) -> Any:
    if structure is None:
        return None
    if not is_nested(structure):
        return _slice_array(structure, part)
    if isinstance(structure, Mapping):
        return {key: _slice_structure(item, part) for key, item in structure.items()}
    return [_slice_structure(item, part) for item in structure]


def _slice_array(array: Any, part: slice) -> Any:
    try:
        if hasattr(array, "iloc"):
            return array.iloc[part]
        blocks = in_blocks(array, container(array))
        if blocks is not None:
            return blocks.part(part)
        array = read_variable(array)
        if descends(array, "tensorflow", "EagerTensor"):  # a slice of a tensor is a copy
            return np.asarray(array)[part]
        if hasattr(array, "tocsr"):  # sparse matrices that have no slices of their own
            return array.tocsr()[part]
        if descends(array, "tensorflow", "SparseTensor"):
            return _slice_sparse(array, part)
        return array[part]
    except Exception as error:  # whatever the array raises
        raise UsageError(
            f"Received a {type(array).__name__}, which cannot be split ({in_one_line(error)}). "
            "Expected arrays; give validation_data instead"
        ) from error


def _slice_sparse(array: Any, part: slice) -> Any:
    import tensorflow as tf

    start, stop, _ = part.indices(int(array.shape[0]))
    rest = [0] * (len(array.shape) - 1)
    return tf.sparse.slice(array, [start, *rest], [stop - start, *array.shape[1:]])
