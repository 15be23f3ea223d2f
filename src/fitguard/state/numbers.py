"""Arrays of NumPy and variables of TensorFlow: kept whole, or only compared where they are large.

What is large and has not changed since the training began is not kept: the script makes it again.
"""

import abc
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from fitguard.contract.held_variables import replicas_of
from fitguard.state.dtypes import dtype_of, name_of
from fitguard.state.kinds import CannotMake, Kind, Stored, Value, as_it_is

ALL_READ_BYTES = 64 << 20
"""Of a larger array only some parts are read to tell whether it has changed."""
_PIECES, _PIECE_ROWS = 4096, 64


def digest_of(array: np.ndarray) -> str:
    """Changes with the values; of a large array, with most changes of many values."""
    digest = hashlib.blake2b(f"{array.dtype}{array.shape}".encode(), digest_size=16)
    if array.nbytes <= ALL_READ_BYTES:
        digest.update(np.ascontiguousarray(array).tobytes())
    else:
        rows = array.reshape(-1) if array.flags.c_contiguous else array
        for start in range(0, len(rows), max(1, len(rows) // _PIECES)):
            digest.update(np.ascontiguousarray(rows[start : start + _PIECE_ROWS]).tobytes())
    return digest.hexdigest()


def digest_in(entry: Mapping[str, Any]) -> str | None:
    """What the values of an entry are recognized by; None where it is not one of numbers."""
    is_numbers = entry["kind"] in (NumpyArrays.name, Variables.name)
    return entry["state"].get("is") if is_numbers and entry["state"] else None


class Numbers(Kind, abc.ABC):
    """What both have in common: `array` gives the values, `put` sets them."""

    @abc.abstractmethod
    def array(self, thing: Any) -> np.ndarray:
        """The values, perhaps in the very memory of the object."""

    @abc.abstractmethod
    def put(self, thing: Any, values: np.ndarray) -> None:
        """Set them, in place."""

    def read(self, thing: Any, stored: Stored) -> Any:
        array = self.array(thing)
        return {"shape": list(array.shape), "dtype": name_of(array.dtype), "is": digest_of(array)}

    def fits(self, thing: Any, values: np.ndarray) -> bool:
        """Whether it can hold them."""
        array = self.array(thing)
        return array.shape == values.shape and array.dtype == values.dtype


class NumpyArrays(Numbers):
    """Arrays that are not of Python objects."""

    name = "array"

    def array(self, thing: Any) -> np.ndarray:
        return _flat_bytes(thing) if thing.dtype.fields else np.asarray(thing)

    def put(self, thing: Any, values: np.ndarray) -> None:
        np.copyto(_flat_bytes(thing) if thing.dtype.fields else thing, values)

    def fits(self, thing: Any, values: np.ndarray) -> bool:
        return bool(thing.flags.writeable) and super().fits(thing, values)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        # Of records it is known how many bytes they have, not what those mean.
        state = entry["state"]
        return np.zeros(state["shape"], dtype_of(state["dtype"]))


def _flat_bytes(records: np.ndarray) -> np.ndarray:
    """An array of records, as the bytes that it has in memory."""
    return records.reshape(-1).view(np.uint8)


class Variables(Numbers):
    """Variables of TensorFlow, also behind those of Keras."""

    name = "variable"

    def read(self, thing: Any, stored: Stored) -> Any:
        if stored is as_it_is:
            # Shares the memory of the variable until that is written to.
            return [replica.read_value() for replica in replicas_of(thing)]
        return super().read(thing, stored)

    def write(self, thing: Any, state: Any, value: Value) -> None:
        for replica, held in zip(replicas_of(thing), state, strict=True):
            replica.assign(held)

    def array(self, thing: Any) -> np.ndarray:
        """The values; those of several replicas one after the other."""
        first, *others = (np.asarray(replica.numpy()) for replica in replicas_of(thing))
        return np.stack([first, *others]) if others else first

    def put(self, thing: Any, values: np.ndarray) -> None:
        replicas = replicas_of(thing)
        for replica, own in zip(replicas, values if replicas[1:] else [values], strict=True):
            # TensorFlow may go on with the very memory that it is given.
            replica.assign(np.array(own))

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        raise CannotMake
