"""Runs Python code of the user and brings all that it could change back to what it was.

Small things are copied and put back: random generators, lists, dicts, sets, attributes, captured
variables, arrays up to 64 MB in all. Other arrays are made read-only meanwhile. What can be read
only once (a generator, an open socket, a queue) cannot be put back: then the code must not run, and
`Unkeepable` says why.
"""

import collections.abc
import contextlib
import io
import queue
import socket
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from fitguard.contract.random_sources import Restore
from fitguard.state.bulk import MANY, is_bulk, items_of
from fitguard.state.reach import Reached, TooMuch, draws_from_tensorflow, is_plain_type, reach
from fitguard.state.restores import restores_of
from fitguard.state.users import is_users

Array = np.ndarray[Any, Any]

COPIED_BYTES = 64 * 2**20
"""Of all arrays together."""

_ONCE_BY_NAME = ("VideoCapture", "DataLoader", "Popen", "KafkaConsumer")


class Unkeepable(Exception):
    """Running the code would change something that cannot be put back; the message says what."""


def check_python_state(roots: Iterable[object]) -> None:
    """Look whether the code of `roots` can be run and undone.

    Raises:
        Unkeepable: where it cannot.
    """
    for found in _reached(roots):
        _refuse(found)


@contextlib.contextmanager
def keeping_python_state(roots: Iterable[object]) -> Iterator[None]:
    """Put back, at the end, whatever the code of `roots` can change.

    Raises:
        Unkeepable: before anything runs; or at the end, where the code failed because it writes to
            an array that is too large to be copied.
    """
    kept: list[Restore] = []
    arrays: list[Array] = []
    bulk: list[Array] = []
    for found in _reached(roots):
        _refuse(found)
        kept.extend(restores_of(found.thing))
        if isinstance(found.thing, np.ndarray):
            arrays.append(found.thing)
        else:
            bulk.extend(_bulk_of_arrays(found.thing))
    copied, shared = _divided(arrays)
    kept.extend(_array_restore(array) for array in copied)
    with contextlib.ExitStack() as stack:
        for restore in kept:
            stack.callback(restore)
        stack.enter_context(frozen([*shared, *bulk]))
        yield


@contextlib.contextmanager
def frozen(arrays: Iterable[Array]) -> Iterator[None]:
    """Make arrays read-only meanwhile.

    Raises:
        Unkeepable: at the end, where code failed because it writes to one of them.
    """
    writeable = [array for array in arrays if array.flags.writeable]
    try:
        for array in writeable:
            array.flags.writeable = False
        yield
    except Exception as error:
        if writeable and "read-only" in str(error.__cause__ or error):
            raise Unkeepable(
                "Its Python code changes arrays that are too large, or too many, to copy."
            ) from error
        raise
    finally:
        _thaw(writeable)


def _reached(roots: Iterable[object]) -> Iterator[Reached]:
    try:
        yield from reach(roots)
    except TooMuch:
        raise Unkeepable(
            "Its Python code can reach too many objects to keep them all as they are."
        ) from None


def _refuse(found: Reached) -> None:
    thing, name = found
    kind = type(thing).__name__
    if isinstance(thing, types.FunctionType) and is_users(thing) and draws_from_tensorflow(thing):
        raise Unkeepable(
            f"Its Python function {thing.__name__} draws random numbers from TensorFlow's eager "
            "operations, whose state cannot be put back."
        )
    if _is_dataset(thing):
        raise Unkeepable(f"Its Python code reads another dataset ({name}), which may hold state.")
    read_once = isinstance(thing, queue.Queue | socket.socket) or kind in _ONCE_BY_NAME
    if read_once or (isinstance(thing, collections.abc.Iterator) and not _can_rewind(thing)):
        raise Unkeepable(
            f"Its Python code reads from {name} ({kind}), which can be read only once."
        )


def _is_dataset(thing: object) -> bool:
    return any(
        kind.__name__ in ("DatasetV2", "DistributedDatasetInterface")
        for kind in type(thing).__mro__
    )


def _can_rewind(thing: object) -> bool:
    """Whether all its state is in attributes, or it is a file that can be set back."""
    if not isinstance(thing, io.IOBase):
        return is_users(type(thing))
    return thing.closed or not thing.readable() or thing.seekable()


def _bulk_of_arrays(thing: Any) -> list[Array]:
    if isinstance(thing, list | tuple | dict | deque) and len(thing) >= MANY:
        items = items_of(thing)
        if is_bulk(items, is_plain_type) and isinstance(items[0], np.ndarray):
            return items
    return []


def _divided(arrays: list[Array]) -> tuple[list[Array], list[Array]]:
    """Those to copy, and those to make read-only."""
    copied: list[Array] = []
    frozen: list[Array] = []
    room = COPIED_BYTES
    for array in sorted((a for a in arrays if a.flags.writeable), key=lambda a: a.nbytes):
        if array.nbytes > room or isinstance(array, np.memmap):
            frozen.append(array)
        else:
            copied.append(array)
            room -= array.nbytes
    return copied, frozen


def _array_restore(array: Array) -> Restore:
    values = array.copy()
    return lambda: np.copyto(array, values)


def _thaw(arrays: list[Array]) -> None:
    waiting = []
    for array in arrays:
        try:
            array.flags.writeable = True
        except ValueError:  # a view can be made writeable only after the array it looks into
            waiting.append(array)
    for array in waiting:
        with contextlib.suppress(ValueError):
            array.flags.writeable = True
