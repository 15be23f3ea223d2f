"""NumPy arrays: one write into a file, and a memory map on the other side."""

import importlib
import mmap
from pathlib import Path
from typing import Any

import numpy as np

from fitguard.notebook.parcel.nodes import Array
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_SMALL_BYTES = 512
"""Up to here an array goes into the JSON."""
_SMALL_FLOATS = "ml_dtypes"


def pack_array(value: Any, packing: Packing, where: str) -> Packed:
    """An array or a scalar of NumPy, or NotMine."""
    if isinstance(value, np.generic):
        return written(np.asarray(value), "scalar", packing, where)
    if type(value) not in (np.ndarray, np.memmap):
        return NotMine
    return written(value, "array", packing, where)


def written(array: np.ndarray, kind: str, packing: Packing, where: str) -> Array:
    """How the values of an array go over."""
    dtype, shape = _name(array.dtype), list(array.shape)
    if array.dtype.hasobject:
        items = [packing.node(item, f"an item of {where}") for item in array.flat]
        return Array(kind, dtype, shape, items=items)
    if array.nbytes <= _SMALL_BYTES and dtype:
        return Array(kind, dtype, shape, data=array.tobytes())
    own = _own_map(array)
    if own is not None and not packing.lenient:
        file, offset, fortran = own
        return Array(kind, dtype, shape, file=file, offset=offset, fortran=fortran)
    path = packing.file(".npy", array.nbytes)
    np.save(path, _known_to_numpy(array), allow_pickle=False)
    return Array(kind, dtype, shape, file=str(path))


def make_array(node: Array, unpacking: Unpacking) -> Any:
    """The array again; a large one is mapped, and changes of it stay in this process."""
    array = _array(node, unpacking)
    return array[()] if node.kind == "scalar" else array


def fill_array(array: Any, node: Array, unpacking: Unpacking) -> None:
    """Give an array that is there the values of the node."""
    new = _array(node, unpacking)
    if array is not new and array.shape == new.shape and array.flags.writeable:
        array[...] = new


def was_written_to(array: Any) -> bool:
    """Whether a private memory map has pages of its own: the process wrote to it."""
    root = _root(array)
    if root is None or root.filename is None:
        return True
    begin, found = str(root.filename), False
    for line in Path("/proc/self/smaps").read_text(errors="replace").splitlines():
        fields = line.split(None, 5)
        if "-" in fields[0]:
            found = len(fields) > 5 and fields[5] == begin
        elif found and fields[0] in ("Anonymous:", "Swap:") and fields[1] != "0":
            return True
    return False


def _array(node: Array, unpacking: Unpacking) -> np.ndarray:
    shape = tuple(node.shape)
    if node.items is not None:
        flat = np.empty(len(node.items), dtype=object)
        for index, item in enumerate(node.items):
            flat[index] = unpacking.value(item)
        return flat.reshape(shape)
    dtype = _named(node.dtype)
    if node.data is not None:
        return np.frombuffer(bytearray(node.data), dtype).reshape(shape)
    if node.offset >= 0:
        order: Any = "F" if node.fortran else "C"
        mapped: Any = np.memmap(node.file, dtype or "u1", "c", node.offset, shape, order)
    else:
        mapped = np.load(unpacking.path(node.file), mmap_mode="c", allow_pickle=False)
    array: np.ndarray = mapped.view(np.ndarray)
    return array.view(dtype) if dtype is not None and array.dtype != dtype else array


def _own_map(array: np.ndarray) -> tuple[str, int, bool] | None:
    """File, offset and order of an array that is already a file of the user's."""
    root = _root(array)
    if root is None or root.filename is None or root.mode == "c" or not _name(array.dtype):
        return None
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        return None
    root.flush()
    mapped = np.frombuffer(root._mmap, np.uint8)  # type: ignore[attr-defined]
    start = root.offset - root.offset % mmap.ALLOCATIONGRANULARITY
    offset = start + array.ctypes.data - mapped.ctypes.data
    return str(root.filename), offset, not array.flags.c_contiguous


def _root(array: Any) -> np.memmap | None:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return array if isinstance(array, np.memmap) else None


def _known_to_numpy(array: np.ndarray) -> np.ndarray:
    """`bfloat16` and the like as numbers of the same width, which a .npy file can name."""
    plain = array.view(np.ndarray)
    foreign = plain.dtype.type.__module__ == _SMALL_FLOATS
    return plain.view(f"u{plain.dtype.itemsize}") if foreign else plain


def _name(dtype: np.dtype) -> str:
    """Empty where only a .npy file can say it: the type of records."""
    if dtype.type.__module__ == _SMALL_FLOATS:
        return dtype.name
    return "" if dtype.names else dtype.str


def _named(name: str) -> np.dtype | None:
    if not name:
        return None
    try:
        return np.dtype(name)
    except TypeError:
        small: np.dtype = np.dtype(getattr(importlib.import_module(_SMALL_FLOATS), name))
        return small
