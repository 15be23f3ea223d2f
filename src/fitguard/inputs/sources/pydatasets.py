"""`keras.utils.PyDataset`: batches by number, read from a twin that takes all changes of state."""

import contextlib
import copy
import itertools
import types
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fitguard.contract.libraries import PACKAGES, is_a, package_of
from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.scan.visits import spread
from fitguard.state.graph import TooMuch
from fitguard.state.keep import Unkeepable, divide, freezing, keeping_python_state
from fitguard.state.kinds import Kind, attributes
from fitguard.state.objects import FOR_NEXT
from fitguard.state.reach import OPAQUE, Reach

SHARED_ITEMS = 10_000
"""From this length on, lists and dicts are shared."""

Array = np.ndarray[Any, Any]


class Twin(NamedTuple):
    """A PyDataset to read.

    Args:
        arrays: Those that it shares with the original: nobody may write to them.
        containers: Long lists, dicts and sets that it shares; what they hold is put back.
        whole: Whether it is a copy; else it is the original itself.
    """

    dataset: Any
    arrays: Sequence[Array] = ()
    containers: Sequence[Any] = ()
    whole: bool = True


def twin(dataset: Any) -> Twin:
    """A copy that shares the large arrays only, so that reading leaves the original as it was.

    Where something in it cannot be copied (an open file, a lock), it is the original.
    """
    held = list(_find_held(dataset))
    _, arrays = divide([item for item in held if isinstance(item, np.ndarray)])
    others = [item for item in held if not isinstance(item, np.ndarray)]
    # No copy can be made of these.
    for_next = [vars(dataset).get(name) for name in FOR_NEXT] if is_a(dataset, "Iterator") else []
    memo = {id(item): item for item in (*arrays, *others, *for_next)}
    try:
        copied = copy.deepcopy(dataset, memo)
    except Exception:  # whatever an attribute raises when it is copied
        return Twin(dataset, whole=False)
    return Twin(copied, arrays, [one for one in others if isinstance(one, list | dict | set)])


def number_of_batches(dataset: Any) -> int | None:
    """How many batches an epoch has; None where it never ends."""
    if hasattr(dataset, "num_batches"):
        number = dataset.num_batches
        return None if number is None else int(number)
    return len(dataset)


class BatchFailed(Exception):
    """The batch of this number raised; its cause tells what."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def batches(twin: Twin, number: int | None) -> Generator[tuple[int, Any], None, None]:
    """Batches with their numbers: the first, the last, then evenly spread ones, until all came.

    Raises:
        BatchFailed: where the user's code raises.
        Unreadable: where it changes something that cannot be put back.
    """
    try:
        with _keeping(twin):
            for index in itertools.count() if number is None else spread(number):
                try:
                    batch = twin.dataset[index]
                except Exception as error:  # whatever the user's code raises
                    raise BatchFailed(index) from error
                yield index, batch
    except Unkeepable as reason:
        raise Unreadable(str(reason)) from None


@contextlib.contextmanager
def _keeping(twin: Twin) -> Iterator[None]:
    """Put back what the twin shares with the original."""
    with contextlib.ExitStack() as stack:
        if not twin.whole:
            stack.enter_context(keeping_python_state([twin.dataset.__getitem__]))
        stack.enter_context(keeping_python_state(twin.containers, deep=False))
        stack.enter_context(freezing(twin.arrays))
        yield


def _find_held(dataset: Any) -> Iterator[Any]:
    """Arrays, tensors, tables and long lists that it holds, also inside of other objects."""
    with contextlib.suppress(TooMuch):
        for node in _Copied().follow(attributes(dataset).values()):
            if isinstance(node.thing, np.ndarray) or _is_shared(node.thing):
                yield node.thing


class _Copied(Reach):
    """What a deep copy of an object consists of: no code, and nothing that is shared."""

    def _unwrap(self, thing: Any) -> Any:
        return thing

    def _kind(self, thing: Any) -> Kind | None:
        is_code = isinstance(thing, types.FunctionType | type)
        return OPAQUE if is_code or _is_shared(thing) else super()._kind(thing)

    def _is_data(self, container: Any) -> bool:
        return _is_shared(container)


def _is_shared(thing: Any) -> bool:
    if package_of(type(thing)) in (*PACKAGES, "tensorflow", "pandas"):
        return True
    return isinstance(thing, list | tuple | dict | set) and len(thing) >= SHARED_ITEMS
