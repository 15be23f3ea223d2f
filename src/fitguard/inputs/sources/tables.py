"""Large tables of pandas, HDF5 and zarr: NumPy would copy them whole, or turn them to objects."""

from typing import Any

import numpy as np

from fitguard.inputs.scan.blocks import Blocks
from fitguard.inputs.sources.kinds import descends

MOST_VALUES = 1 << 21
"""So many are copied without much ado."""


def in_blocks(value: Any, container: str) -> Blocks | None:
    """The same values in blocks; None for what is small, or is an array already."""
    if isinstance(value, Blocks):
        return value
    if descends(value, "pandas", "DataFrame", "Series"):
        if value.size <= MOST_VALUES or _is_one_array(value):
            return None
        dtype = np.asarray(value.iloc[:1]).dtype
        return Blocks(lambda part: value.iloc[part], tuple(value.shape), dtype, container)
    stored = descends(value, "h5py", "Dataset") or descends(value, "zarr", "Array")
    if not stored or not value.ndim or value.size <= MOST_VALUES:
        return None
    return Blocks(value.__getitem__, tuple(value.shape), np.dtype(value.dtype), container)


def _is_one_array(table: Any) -> bool:
    """Whether NumPy can look at its memory as it lies there."""
    blocks: Any = getattr(getattr(table, "_mgr", None), "blocks", ())
    return len(blocks) == 1 and isinstance(blocks[0].values, np.ndarray)
