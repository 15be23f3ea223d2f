"""Instances: of the user's own classes, and of Keras' classes or those derived from them."""

import functools
import types
from collections import UserDict, UserList, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from fitguard.contract.callbacks import GIVEN
from fitguard.contract.held_variables import is_bookkeeping, rank_of
from fitguard.contract.libraries import PACKAGES, is_a, package_of
from fitguard.state.code import attributes_set_by
from fitguard.state.kinds import (
    SOME,
    CannotMake,
    Kind,
    Part,
    Stored,
    Value,
    attributes,
    set_attribute,
    write_names,
)
from fitguard.state.users import is_users
from fitguard.state.values import look_up

Skipped = Callable[[Any], Collection[str] | None]
"""Attributes of a callback that are kept elsewhere; None for all of them."""

_LIBRARIES = (*PACKAGES, "tensorflow")
_DERIVED = frozenset(
    ("built", "compiled", "name", "train_function", "test_function", "predict_function")
)
"""Public attributes that Keras derives again by itself."""
PUBLIC = "of the library"
"""In the state of a part: what the library itself sets."""
_HISTORY = "history"
"""The callback of the last `fit`: it is one of the callbacks."""
DATA = ("PyDataset", "Sequence")
"""Classes of Keras that give batches by number, even where they are iterators too."""
FOR_NEXT = frozenset(("lock", "index_generator"))
"""Of the iterators of `ImageDataGenerator`: for `next()` alone, batches by number need none."""
_MADE = (types.SimpleNamespace, UserDict, UserList)
_PLAIN = (type(None), bool, int, float, str)
_CONTAINERS = (list, tuple, set, frozenset, dict, deque)


class Objects(Kind):
    """Instances of the user's classes, and namespaces."""

    name = "object"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from attributes(thing).items()
        yield "class", type(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        return {name: stored(held) for name, held in attributes(thing).items()}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        write_attributes(thing, attributes(thing), state, value)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        cls = look_up(entry["class"])
        if not isinstance(cls, type) or not (is_users(cls) or cls in _MADE):
            raise CannotMake
        return object.__new__(cls)


class Parts(Kind):
    """Models, layers, optimizers, losses, metrics, schedules, callbacks.

    Of their attributes those count that the user's code may set: all that no code of the library
    sets, and public ones with plain values. What a callback remembers counts whoever set it.
    Variables are kept elsewhere.

    Args:
        skipped: Asked for each callback.
    """

    name = "part"

    def __init__(self, skipped: Skipped) -> None:
        self._skipped = skipped

    def parts(self, thing: Any) -> Iterator[Part]:
        own, all_own = self._own(thing), is_a(thing, "Callback", *DATA)
        for name, held in vars(thing).items():
            if name in own:
                yield name, held
            elif not all_own and not _is_led_past(thing, name):
                yield from _within(name, held)
        yield "class", type(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        state = {name: stored(held) for name, held in self._own(thing).items()}
        if is_a(thing, "Callback"):
            return state
        public = _public(thing)
        # What Keras makes when it builds them is not taken away again.
        return {**state, PUBLIC: public, SOME: True} if state or public else {}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        present = _public(thing)
        for name, held in state.get(PUBLIC, {}).items():
            if name in present and present[name] != held:
                setattr(thing, name, held)
        own = {name: held for name, held in state.items() if name != PUBLIC}
        write_attributes(thing, self._own(thing), own, value)

    def _own(self, thing: Any) -> dict[str, Any]:
        present = vars(thing)
        if is_a(thing, "Callback"):
            skipped = self._skipped(thing)
            left = present.keys() if skipped is None else GIVEN.union(skipped)
            return {name: held for name, held in present.items() if name not in left}
        cls: type = type(thing)
        if package_of(cls) in _LIBRARIES:
            left = FOR_NEXT if is_a(thing, *DATA) else present.keys()
            return {name: held for name, held in present.items() if name not in left}
        left = set_by_libraries(cls)
        return {
            name: held
            for name, held in present.items()
            if name not in left and not is_bookkeeping(name)
        }


def _public(thing: Any) -> dict[str, Any]:
    """Plain values that Keras' own code sets, and the user's may: a rate, a clipping norm."""
    cls: type = type(thing)
    librarys = set_by_libraries(cls)
    found = {
        name: held
        for name, held in vars(thing).items()
        if isinstance(held, _PLAIN) and not name.startswith("_") and name not in _DERIVED
        if name in librarys or package_of(cls) in _LIBRARIES
    }
    return {**found, "trainable": bool(thing.trainable)} if is_a(thing, "Layer") else found


def write_attributes(
    thing: Any, present: Mapping[str, Any], state: Mapping[str, Any], value: Value
) -> None:
    """Give an object these attributes, and take away the others of `present`."""
    write_names(state, value, present, functools.partial(set_attribute, thing))
    for name in present.keys() - state.keys() if SOME not in state else ():
        object.__delattr__(thing, name)


@functools.lru_cache(maxsize=4096)
def set_by_libraries(cls: type) -> frozenset[str]:
    """Attributes that code of Keras or TensorFlow sets on instances of a class."""
    found: set[str] = set()
    for base in cls.__mro__:
        if package_of(base) in _LIBRARIES:
            for held in vars(base).values():
                for function in _functions(held):
                    found |= attributes_set_by(function.__code__)
    return frozenset(found)


def _functions(held: Any) -> Iterator[types.FunctionType]:
    """What a name of a class stands for, also behind decorators."""
    held = getattr(held, "fset", None) or getattr(held, "__func__", held)
    while isinstance(held, types.FunctionType):
        yield held
        held = getattr(held, "__wrapped__", None)


def _is_led_past(thing: Any, name: str) -> bool:
    """Whether an attribute of the library holds nothing of the user's that others do not hold."""
    return name == _HISTORY or rank_of(thing, name) is None or is_bookkeeping(name)


def _within(name: str, held: Any) -> Iterator[Part]:
    """What lies in the library's own containers: they are none of the user's."""
    if isinstance(held, dict):
        for key, item in held.items():
            yield from _within(f"{name}[{key!r:.80}]", item)
    elif isinstance(held, _CONTAINERS):
        # Keras puts inputs in front of the layers when it builds a model: they have no state.
        items = [item for item in held if not is_a(item, "InputLayer")]
        for number, item in enumerate(items):
            yield from _within(f"{name}[{number}]", item)
    elif not isinstance(held, _PLAIN):
        yield name, held
