"""Runs Python code of the user and brings all that it could change back to what it was.

Small things are copied and put back: random generators, lists, dicts, sets, attributes, captured
variables, arrays up to 64 MB in all. Other arrays are made read-only meanwhile. What can be read
only once (a generator, an open socket, a queue) cannot be put back: then the code must not run, and
`Unkeepable` says why.
"""

import contextlib
import io
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from fitguard.state import bulk
from fitguard.state.code import draws_from_tensorflow
from fitguard.state.graph import Node, TooMuch
from fitguard.state.kinds import as_it_is
from fitguard.state.reach import Reach
from fitguard.state.unkept import is_read_once
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
    for _ in _walk_reachable(Reach(), roots):
        pass


@contextlib.contextmanager
def keeping_python_state(roots: Iterable[object], *, deep: bool = True) -> Iterator[None]:
    """Put back, at the end, whatever the code of `roots` can change.

    Args:
        deep: Whether what lies in containers is put back too, where it is no bulk of samples.

    Raises:
        Unkeepable: before anything runs; or at the end, where the code failed because it writes to
            an array that is too large to be copied.
    """
    reach = Reach(deep=deep)
    nodes = list(_walk_reachable(reach, roots))
    arrays = [node.thing for node in nodes if isinstance(node.thing, np.ndarray)]
    others = (node for node in nodes if not isinstance(node.thing, np.ndarray))
    copied, shared = divide([array for array in arrays if array.flags.writeable])
    with contextlib.ExitStack() as stack:
        stack.enter_context(putting_back(others))
        for array in copied:
            stack.callback(np.copyto, array, array.copy())
        for items in reach.bulks:
            if isinstance(items[0], np.ndarray):
                shared += items
            else:
                stack.callback(bulk.put_back, items, [item.copy() for item in items])
        stack.enter_context(freezing(shared))
        yield


@contextlib.contextmanager
def putting_back(nodes: Iterable[Node]) -> Iterator[None]:
    """Bring objects, at the end, into the state that they have now."""
    with contextlib.ExitStack() as stack:
        for node in nodes:
            if node.kind.has_state:
                state = node.kind.read(node.thing, as_it_is)
                stack.callback(node.kind.write, node.thing, state, as_it_is)
        yield


def divide(arrays: list[Array]) -> tuple[list[Array], list[Array]]:
    """Those to copy, the smallest first, and those that there is no room for, or that are files."""
    copied: list[Array] = []
    shared: list[Array] = []
    room = COPIED_BYTES
    for array in sorted(arrays, key=lambda array: array.nbytes):
        if array.nbytes > room or isinstance(array, np.memmap):
            shared.append(array)
        else:
            copied.append(array)
            room -= array.nbytes
    return copied, shared


@contextlib.contextmanager
def freezing(arrays: Iterable[Array]) -> Iterator[None]:
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


def _walk_reachable(reach: Reach, roots: Iterable[object]) -> Iterator[Node]:
    try:
        for node in reach.follow(roots):
            _refuse(node)
            yield node
    except TooMuch:
        raise Unkeepable(
            "Its Python code can reach too many objects to keep them all as they are."
        ) from None


def _refuse(node: Node) -> None:
    thing, name = node.thing, node.label
    if isinstance(thing, types.FunctionType) and is_users(thing) and draws_from_tensorflow(thing):
        raise Unkeepable(
            f"Its Python function {thing.__name__} draws random numbers from TensorFlow's eager "
            "operations, whose state cannot be put back."
        )
    if _is_dataset(thing):
        raise Unkeepable(f"Its Python code reads another dataset ({name}), which may hold state.")
    if not _can_rewind(thing):
        raise Unkeepable(
            f"Its Python code reads from {name} ({type(thing).__name__}), which can be read only "
            "once."
        )


def _is_dataset(thing: object) -> bool:
    return any(
        kind.__name__ in ("DatasetV2", "DistributedDatasetInterface")
        for kind in type(thing).__mro__
    )


def _can_rewind(thing: object) -> bool:
    """Whether all its state is in attributes, or it is a file that can be set back."""
    if isinstance(thing, io.IOBase):
        return thing.closed or not thing.readable() or thing.seekable()
    return not is_read_once(thing) and type(thing).__name__ not in _ONCE_BY_NAME


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
