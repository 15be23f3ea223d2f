"""Batches in memory that two processes share: flat tensors, one behind the other."""

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

_ALIGNED = 64
Place = tuple[str, tuple[int, ...], int, int]
"""Of a tensor: dtype, shape, where it begins, how many bytes."""
_TEXT = "string"


class Slot:
    """A file in memory, as large as the largest batch so far.

    Args:
        path: Made by the side that writes.
        others: Where it goes if there is no room: a container has little memory to share.

    Attributes:
        path: Where it is.
    """

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self.path = path
        self._others = list(others)
        self._map: mmap.mmap | None = None
        self._size = 0

    def write(self, tensors: Sequence[Any]) -> tuple[int, list[Place]]:
        """Put a batch into it: its size, and where each tensor lies."""
        flat = [_bytes_of(tensor) for tensor in tensors]
        places: list[Place] = []
        end = 0
        for tensor, data in zip(tensors, flat, strict=True):
            begin = -(-end // _ALIGNED) * _ALIGNED
            places.append((tensor.dtype.name, tuple(tensor.shape), begin, data.nbytes))
            end = begin + data.nbytes
        if end > self._size:
            self._grow(end)
        memory = self._map_file(self._size)
        for (_, _, begin, size), data in zip(places, flat, strict=True):
            memory[begin : begin + size] = data.data
        return self._size, places

    def read(self, size: int, places: Sequence[Place]) -> list[np.ndarray]:
        """The values of a batch, as copies: the slot is written to again."""
        import tensorflow as tf

        memory = self._map_file(size)
        found = []
        for dtype, shape, begin, length in places:
            data = np.frombuffer(memory, np.uint8, length, begin)
            if dtype == _TEXT:
                texts = tf.io.parse_tensor(data.tobytes(), tf.string).numpy()
                found.append(np.asarray(texts, object))
            else:
                kind = tf.as_dtype(dtype).as_numpy_dtype
                found.append(data.view(kind).reshape(shape).copy())
        return found

    def remove(self) -> None:
        """Its file; who has it open may still read it."""
        self.path.unlink(missing_ok=True)

    def _grow(self, size: int) -> None:
        """Take the room now: to write where there is none would kill the process."""
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(file, 0, size)
            self._size = size
        except OSError as error:
            self.remove()
            self._map = None
            if not self._others:
                raise MemoryError(
                    f"A batch takes {size} bytes, and {self.path.parent} has no room for it "
                    f"({error.strerror}). Give fitguard.fit(…, runs_folder=FOLDER) a folder with "
                    "more, or make the batches smaller."
                ) from error
            self.path = self._others.pop(0)
            self._grow(size)
        finally:
            os.close(file)

    def _map_file(self, size: int) -> mmap.mmap:
        if self._map is None or len(self._map) < size:
            with self.path.open("r+b") as file:
                self._map = mmap.mmap(file.fileno(), max(size, 1))
        return self._map


def _bytes_of(tensor: Any) -> np.ndarray:
    import tensorflow as tf

    if tensor.dtype == tf.string:
        return np.frombuffer(tf.io.serialize_tensor(tensor).numpy(), np.uint8)
    return np.ascontiguousarray(tensor.numpy()).reshape(-1).view(np.uint8)
