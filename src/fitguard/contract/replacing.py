"""Another value for an attribute, for a while."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Inside, an attribute has another value; one that only the class had is the class's again.

    Raises:
        AttributeError: There is none of that name: this version of the library has another.
    """
    missing = object()
    if getattr(owner, name, missing) is missing:
        raise AttributeError(f"{owner!r} has no {name}: fitguard does not know this version of it.")
    before = vars(owner).get(name, missing)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if before is missing:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
