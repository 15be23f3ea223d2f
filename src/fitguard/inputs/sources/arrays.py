"""Arrays of all kinds as NumPy sees them, without a copy where there is a way."""

import mmap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fitguard.contract.libraries import is_a
from fitguard.inputs.scan.blocks import Blocks
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.kinds import descends
from fitguard.inputs.sources.tables import in_blocks

COLUMNS_TOLD = 1000


class Table(NamedTuple):
    """An array to scan.

    Args:
        values: What to look at; of a sparse or ragged array, only the values that it stores.
        container: As a person calls it.
        mapped: Whether it lies in a mapped file.
        shape: Of the whole, as `fit` sees it; None where an axis is ragged.
        rows: Of a sparse or ragged array: tells the sample that a value belongs to.
    """

    values: np.ndarray[Any, Any] | Blocks
    container: str
    mapped: bool
    shape: tuple[int | None, ...]
    rows: Callable[[int], int] | None = None

    @property
    def samples(self) -> int:
        """How many there are."""
        return len(self.values) if self.rows is None else self.shape[0] or 0


def table(value: Any) -> Table:
    """What there is to scan of an array.

    Raises:
        ValueError: for what NumPy cannot read.
    """
    name = container(value)
    try:
        return _table(value, name)
    except Exception as error:  # a class of the user's, a tensor without values
        raise ValueError(
            f"Received a {name} that NumPy cannot read ({in_one_line(error)[:200]}). Expected an "
            "array with values"
        ) from error


def _table(value: Any, name: str) -> Table:
    if descends(value, "tensorflow", "RaggedTensor"):
        shape = (int(value.nrows()), *value.shape[1:])
        return Table(np.asarray(value.flat_values), name, False, shape, _rows_of_ragged(value))
    if descends(value, "tensorflow", "SparseTensor"):
        rows = np.asarray(value.indices)[:, 0]
        shape = tuple(map(int, np.asarray(value.dense_shape)))
        return Table(np.asarray(value.values), name, False, shape, lambda number: int(rows[number]))
    if hasattr(value, "tocoo"):
        stored = value.tocoo()
        rows = stored.coords[0]
        shape = tuple(map(int, stored.shape))
        return Table(np.asarray(stored.data), name, False, shape, lambda number: int(rows[number]))
    blocks = in_blocks(value, name)
    if blocks is not None:
        return Table(blocks, blocks.container, False, blocks.shape)
    # Of a subclass of NumPy's array, the plain array.
    array = np.asarray(read_variable(value))
    return Table(array, name, _is_mapped(array), array.shape)


def column_dtypes(value: Any) -> tuple[tuple[str, str], ...]:
    """The columns of a pandas frame, each with its dtype; none where it is all numbers alike."""
    if not descends(value, "pandas", "DataFrame"):
        return ()
    columns = tuple((str(name), str(dtype)) for name, dtype in value.dtypes.items())
    return columns[:COLUMNS_TOLD] if len({dtype for _, dtype in columns}) > 1 else columns[:1]


def read_variable(value: Any) -> Any:
    """The tensor in a variable, without a copy; all else as it is."""
    inner = value.value if is_a(value, "Variable") else value
    return inner.read_value() if hasattr(inner, "read_value") else inner


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


def _is_mapped(array: np.ndarray[Any, Any]) -> bool:
    """Whether it, or what it is a view of, is a memory map.

    Raises:
        ValueError: where the file is shorter than the map. Reading behind its end is no error that
            Python could catch: it ends the process (SIGBUS).
    """
    found: Any = array
    while found is not None and not isinstance(found, np.memmap):
        found = getattr(found, "base", None)
    pages = getattr(found, "_mmap", None)
    if found is not None and isinstance(pages, mmap.mmap):
        start = found.offset - found.offset % mmap.ALLOCATIONGRANULARITY
        there, expected = pages.size(), start + len(pages)
        if there < expected:
            raise ValueError(f"its file has {there:,} bytes now, where the map has {expected:,}")
    return found is not None


def _rows_of_ragged(ragged: Any) -> Callable[[int], int]:
    """Tells the sample of a value, from the borders between samples."""
    borders, *inner = [np.asarray(splits) for splits in ragged.nested_row_splits]
    for splits in inner:
        borders = splits[borders]
    return lambda number: int(np.searchsorted(borders, number, side="right")) - 1
