"""One-shot generators: what is read from them is handed back, in the same order."""

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import numpy as np

HELD_BYTES = 256 * 2**20
"""How much of a generator is read ahead, and held until `fit` asks for it."""

Array = np.ndarray[Any, Any]
Path = tuple[Any, ...]


class ReadAhead:
    """A generator of which the first batches were read, and are kept.

    Example:
        >>> ahead = ReadAhead(number for number in range(4))
        >>> next(ahead.batches()), next(ahead.batches())
        (0, 1)
        >>> list(ahead.handed_back())
        [0, 1, 2, 3]
    """

    def __init__(self, generator: Generator[Any, Any, Any], held_bytes: int = HELD_BYTES) -> None:
        self._rest = generator
        self._read: deque[Any] = deque()
        self._arrays = ReusedArrays()
        self._room_bytes = held_bytes
        self._raised: Exception | None = None
        self._pending: _Next | None = None
        self.full = False

    @property
    def is_late(self) -> bool:
        """Whether it was asked for a batch that has not come yet."""
        return self._pending is not None

    def batches(self, deadline: float | None = None) -> Iterator[Any]:
        """The next batches, until there is no more room to keep them; `full` then tells so.

        Args:
            deadline: On the clock of `time.monotonic`: a batch that has not come by then is not
                waited for, but handed back.
        """
        while not self.full and not self.is_late:
            try:
                batch = self._take_next(deadline)
            except (StopIteration, TimeoutError):
                return
            except Exception as error:
                self._raised = error
                raise
            kept = map_leaves(batch, self._arrays.keep_copy)
            self._read.append(kept)
            self._room_bytes -= size_bytes(kept)
            self.full = self._room_bytes <= 0
            yield batch

    def _take_next(self, deadline: float | None) -> Any:
        if deadline is None:
            return next(self._rest)
        asked = _Next(self._rest)
        asked.join(max(0.0, deadline - time.monotonic()))
        if asked.is_alive():
            self._pending = asked
            raise TimeoutError
        return asked.get()

    def hand_back(self) -> Generator[Any, None, None]:
        """What was read, then the rest; an error comes where the generator raised it."""
        while self._read:
            yield map_leaves(self._read.popleft(), self._arrays.refill_copy)
        if self._pending is not None:
            pending, self._pending = self._pending, None
            try:
                yield pending.get()
            except StopIteration:
                return
        if self._raised is not None:
            raise self._raised
        yield from self._rest


class _Next(threading.Thread):
    """Asks a generator for one batch; nothing else can be done with a generator meanwhile."""

    def __init__(self, generator: Generator[Any, Any, Any]) -> None:
        super().__init__(daemon=True, name="fitguard-reader")
        self._generator = generator
        self._batch: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._batch = next(self._generator)
        except BaseException as error:  # raised again where the batch is asked for
            self._error = error

    def get(self) -> Any:
        """The batch, when it has come."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._batch


class ReusedArrays:
    """Copies arrays, and remembers where the same array came again with new values in it.

    Whoever holds two batches of such a generator at once, as Keras does with the first two, sees
    the values of the second twice. What is handed back must behave alike: there, too, one array is
    filled again and again, but not the user's.
    """

    def __init__(self) -> None:
        self._last: dict[Path, weakref.ref[Array]] = {}
        self._buffers: dict[Path, Array | None] = {}

    def keep_copy(self, path: Path, value: Any) -> Any:
        """A copy that the generator cannot reach."""
        if not isinstance(value, np.ndarray):
            return value.copy() if type(value).__module__.startswith("pandas") else value
        last = self._last.get(path)
        if last is not None and last() is value:
            self._buffers[path] = None
        self._last[path] = weakref.ref(value)
        return value.copy(order="K")

    def refill_copy(self, path: Path, value: Any) -> Any:
        """The copy itself, or one array with its values, where the generator did it so."""
        if path not in self._buffers:
            return value
        buffer = self._buffers[path]
        if buffer is None or (buffer.shape, buffer.dtype) != (value.shape, value.dtype):
            buffer = self._buffers[path] = np.empty_like(value)
        buffer[...] = value
        return buffer


def map_leaves(structure: Any, change: Callable[[Path, Any], Any], path: Path = ()) -> Any:
    """The same structure with new leaves; `change` gets the way to each."""
    if isinstance(structure, Mapping):
        made = {key: map_leaves(item, change, (*path, key)) for key, item in structure.items()}
        return made if type(structure) is dict else type(structure)(made)  # type: ignore[call-arg]
    if isinstance(structure, list | tuple):
        items = [map_leaves(item, change, (*path, index)) for index, item in enumerate(structure)]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return change(path, structure)


def size_bytes(structure: Any) -> int:
    """What a structure of arrays holds."""
    if isinstance(structure, Mapping):
        return sum(map(size_bytes, structure.values()))
    if isinstance(structure, list | tuple):
        return sum(map(size_bytes, structure))
    held = getattr(structure, "nbytes", None)
    return held if isinstance(held, int) else sys.getsizeof(structure)
