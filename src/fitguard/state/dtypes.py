"""Types of arrays by name: those of NumPy, and the small floats of ml_dtypes."""

import importlib
import re

import numpy as np

_OF_NUMPY = re.compile(r"[<>|=]?(b1|[iu][1248]|f(2|4|8|16)|c(8|16|32)|[US][0-9]{1,9}|[mM]8\[\w+\])")
_OF_ML_DTYPES = re.compile(r"bfloat16|float[0-9]\w*|u?int[0-9]+")
_SMALL = "ml_dtypes"


def name_of(dtype: np.dtype) -> str:
    """The name under which `dtype_of` finds it again.

    Raises:
        TypeError: for arrays of Python objects, of records and of texts without a fixed width.
    """
    if dtype.type.__module__ == _SMALL:
        return dtype.name
    if dtype.itemsize and _OF_NUMPY.fullmatch(dtype.str):
        return dtype.str
    raise TypeError(
        f"Received an array of dtype {dtype}. Expected numbers, booleans or texts of a fixed "
        "width: anything else would need pickle. Convert it before it goes into a snapshot."
    )


def dtype_of(name: str) -> np.dtype:
    """The type with this name.

    Raises:
        TypeError: where no array of a snapshot can have it.
    """
    if _OF_NUMPY.fullmatch(name):
        found: np.dtype = np.dtype(name)
        if found.itemsize:
            return found
    elif _OF_ML_DTYPES.fullmatch(name):
        small = getattr(importlib.import_module(_SMALL), name, None)
        if small is not None:
            wanted: np.dtype = np.dtype(small)
            return wanted
    raise TypeError(f"there is no dtype {name[:40]!r}")
