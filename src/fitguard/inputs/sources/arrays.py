"""Arrays of all kinds as NumPy sees them, without a copy where there is a way."""

from typing import Any, NamedTuple

import numpy as np

from fitguard.inputs.sources.kinds import descends


class Table(NamedTuple):
    """An array to scan.

    Args:
        values: What to look at; of a sparse or ragged array, only the values that it stores.
        container: As a person calls it.
        mapped: Whether it lies in a mapped file.
        shape: Of the whole, as `fit` sees it; None where an axis is ragged.
        rows: Of a sparse or ragged array: the sample that each of `values` belongs to.
    """

    values: np.ndarray[Any, Any]
    container: str
    mapped: bool
    shape: tuple[int | None, ...]
    rows: np.ndarray[Any, Any] | None = None


def table(value: Any) -> Table:
    """What there is to scan of an array."""
    name = container(value)
    if descends(value, "tensorflow", "RaggedTensor"):
        rows = np.asarray(value.value_rowids() if value.ragged_rank == 1 else _outer_rows(value))
        return Table(np.asarray(value.flat_values), name, False, tuple(value.shape), rows)
    if descends(value, "tensorflow", "SparseTensor"):
        rows = np.asarray(value.indices)[:, 0]
        return Table(np.asarray(value.values), name, False, tuple(value.shape), rows)
    if hasattr(value, "tocoo"):
        stored = value.tocoo()
        return Table(stored.data, name, False, tuple(stored.shape), stored.row)
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    return Table(array, name, _mapped(array), array.shape)


def container(value: Any) -> str:
    """`numpy.ndarray`, `pandas.DataFrame`, `tf.Tensor`."""
    for library, names in _NAMES.items():
        for name in names:
            if descends(value, library, name):
                return f"{'tf' if library == 'tensorflow' else library}.{name}"
    return f"{type(value).__module__.split('.')[0]}.{type(value).__name__}"


_NAMES = {
    "tensorflow": ("RaggedTensor", "SparseTensor", "Variable", "Tensor"),
    "numpy": ("memmap", "ndarray"),
    "pandas": ("DataFrame", "Series", "Index"),
}


def _mapped(array: np.ndarray[Any, Any]) -> bool:
    """Whether it, or what it is a view of, is a memory map."""
    found: Any = array
    while found is not None:
        if isinstance(found, np.memmap):
            return True
        found = getattr(found, "base", None)
    return False


def _outer_rows(ragged: Any) -> np.ndarray[Any, Any]:
    """The sample that each value of a tensor with several ragged axes belongs to."""
    outermost, *inner = [np.asarray(splits) for splits in ragged.nested_row_splits]
    ends = outermost
    for splits in inner:
        ends = splits[ends]
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))
