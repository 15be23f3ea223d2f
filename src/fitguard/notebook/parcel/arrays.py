"""NumPy arrays: one write into a file, and a memory map on the other side."""

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fitguard.notebook.parcel.files import ParcelFiles, require_private

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker

_SMALL_BYTES = 8192
"""Up to here pickle itself takes an array."""
_SMALL_FLOATS = "ml_dtypes"


def pack_array(value: Any, packing: "Packer") -> Any:
    """A large array, or a map of a file; None for others."""
    if type(value) not in (np.ndarray, np.memmap) or value.dtype.hasobject:
        return None
    if type(value) is np.ndarray and value.nbytes <= _SMALL_BYTES:
        return None
    if packing.files is None:
        return ()
    own = None if packing.goes_back else _own_map(value)
    return own or write_array(value, packing.files)


def write_array(array: np.ndarray, files: ParcelFiles) -> tuple[Any, ...]:
    """The file that holds a copy of an array."""
    path = files.new(".npy", array.nbytes)
    with files.create(path) as file:
        np.save(file, _view_as_plain(array), allow_pickle=False)
    return str(path), array.dtype


def make_array(packed: tuple[Any, ...], _: "Unpacker | None" = None) -> np.ndarray:
    """The array again, mapped; changes of it stay in this process."""
    path, dtype, *place = packed
    if place:
        mapped: Any = np.memmap(path, dtype, "c", *place)
    else:
        require_private(Path(path))
        mapped = np.load(path, mmap_mode="c", allow_pickle=False)
    array: np.ndarray = mapped.view(np.ndarray)
    return array.view(dtype) if array.dtype != dtype else array


def fill_array(array: Any, packed: tuple[Any, ...]) -> None:
    """Give an array that is there the values of another."""
    new = make_array(packed)
    if array.shape == new.shape and array.flags.writeable:
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


def _own_map(array: np.ndarray) -> tuple[Any, ...] | None:
    """Where an array lies that is already a file of the user's."""
    root = _root(array)
    if root is None or root.filename is None or root.mode == "c":
        return None
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        return None
    root.flush()
    mapped = np.frombuffer(root._mmap, np.uint8)  # type: ignore[attr-defined]
    start = root.offset - root.offset % mmap.ALLOCATIONGRANULARITY
    offset = start + array.ctypes.data - mapped.ctypes.data
    order = "C" if array.flags.c_contiguous else "F"
    return str(root.filename), array.dtype, offset, array.shape, order


def _root(array: Any) -> np.memmap | None:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return array if isinstance(array, np.memmap) else None


def _view_as_plain(array: np.ndarray) -> np.ndarray:
    """`bfloat16` and the like as numbers of the same width, which a .npy file can name."""
    plain = array.view(np.ndarray)
    foreign = plain.dtype.type.__module__ == _SMALL_FLOATS
    return plain.view(f"u{plain.dtype.itemsize}") if foreign else plain
