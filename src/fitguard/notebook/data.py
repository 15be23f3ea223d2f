"""Which data can be given, and which need a function that makes them."""

import sys
from collections.abc import Iterator
from typing import Any

from fitguard.notebook.feed.sending import FACTORY
from fitguard.state.not_carried import cannot_carry

_DATA = ("x", "y", "sample_weight", "validation_data")
_CALLED = ("x", "validation_data")


def factories_in(arguments: dict[str, Any]) -> list[str]:
    """The arguments that are functions to be called in the training process."""
    return [name for name in _CALLED if is_factory(arguments.get(name))]


def is_factory(value: Any) -> bool:
    """Whether it is a function, and not data that can be called as well."""
    data = ("__array__", "__getitem__", "__iter__", "__len__")
    return callable(value) and not any(hasattr(value, name) for name in data)


def require_carriable(arguments: dict[str, Any]) -> None:
    """Refuse iterators and generators, which cannot go over.

    Raises:
        CannotCarry: with the function that would do.
    """
    for name in _DATA:
        if _is_stream(arguments.get(name)):
            raise cannot_carry(
                arguments[name],
                name,
                "an iterator or generator lives in its own process",
                FACTORY.replace("model, ", f"model, {name}="),
            )


def _is_stream(value: Any) -> bool:
    tf: Any = sys.modules.get("tensorflow")
    if tf is not None and isinstance(value, tf.data.Dataset):
        return False
    return isinstance(value, Iterator) or type(value).__name__ == "DataLoader"
