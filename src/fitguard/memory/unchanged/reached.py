"""The objects that belong to a model: layers, losses, metrics, optimizers, lists and dicts."""

import functools
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from fitguard.contract.model_parts import is_part_class, unwrapped
from fitguard.state.users import is_users

MOST_ITEMS = 10_000
"""Of a longer list, dict or set only the container itself is looked at: it holds data."""
CONTAINERS = (list, dict, set, deque)


def reached(roots: Iterable[object]) -> Iterator[Any]:
    """The roots, and all that belongs to them, each once."""
    seen: dict[int, object] = {}
    waiting = [*roots]
    while waiting:
        thing = unwrapped(waiting.pop())
        if id(thing) in seen or not is_followed(thing):
            continue
        seen[id(thing)] = thing
        yield thing
        waiting.extend(part for _, part in parts(thing))


def is_followed(thing: object) -> bool:
    """Whether it may belong to a model, and what it holds too: no function, class or tensor."""
    if isinstance(thing, types.FunctionType | types.ModuleType | type):
        return False
    cls: type = type(thing)
    return isinstance(thing, (*CONTAINERS, tuple)) or _is_followed_class(cls)


@functools.lru_cache(maxsize=4096)
def _is_followed_class(cls: type) -> bool:
    known = is_part_class(cls)
    return is_users(cls) if known is None else known


def parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """What a thing holds: attributes by name, items by key or number."""
    attributes = getattr(thing, "__dict__", None)
    if isinstance(attributes, dict):
        yield from attributes.items()
    if isinstance(thing, (*CONTAINERS, tuple)) and len(thing) <= MOST_ITEMS:
        items = thing.items() if isinstance(thing, dict) else enumerate(thing)
        yield from ((str(key), item) for key, item in items)
