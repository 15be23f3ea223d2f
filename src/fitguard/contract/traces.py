"""What a `tf.function` has traced."""

import functools
from collections.abc import Iterator
from typing import Any

from fitguard.contract.graphs import bodies_within

_HOLDERS = {
    # Its own record of running generators: only the user's callable counts.
    "_GeneratorState": "_generator",
    "EagerFunc": "_func",
    "StructuredFunctionWrapper": "_func",
    "Function": "python_function",
}
"""Classes of TensorFlow that stand for a function of the user's, and where they hold it."""


def holds_function(thing: object) -> bool:
    """Whether it stands for a function of the user's."""
    return type(thing).__name__ in _HOLDERS and type(thing).__module__.startswith("tensorflow")


def python_function(thing: Any) -> Any:
    """The function that it stands for."""
    return getattr(thing, _HOLDERS[type(thing).__name__], None)


def find_traced_bodies(function: Any) -> Iterator[Any]:
    """The graphs of a `tf.function`, and what they call, as `bodies_within` gives it."""
    for concrete in function._list_all_concrete_functions():
        yield from bodies_within(concrete.graph)


def trace_caches(thing: object) -> tuple[Any, ...]:
    """Where methods of it that are a `tf.function` keep a function of its own for each object."""
    cls: type = type(thing)
    return _trace_caches_of(cls)


@functools.lru_cache(maxsize=4096)
def _trace_caches_of(cls: type) -> tuple[Any, ...]:
    everything = [value for base in cls.__mro__ for value in vars(base).values()]
    attributes = [getattr(value, "__dict__", None) for value in everything]
    return tuple(
        held["_descriptor_cache"]
        for held in attributes
        if isinstance(held, dict) and "_descriptor_cache" in held
    )
