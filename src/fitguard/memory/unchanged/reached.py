"""The objects that belong to a model: layers, losses, metrics, optimizers, lists and dicts."""

import functools
import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from fitguard.contract.model_parts import is_part_class, unwrap_proxy
from fitguard.state.graph import Node
from fitguard.state.kinds import Kind
from fitguard.state.reach import OPAQUE, Reach
from fitguard.state.users import is_users

MOST_ITEMS = 10_000
"""Of a longer list, dict or set only the container itself is looked at: it holds data."""
CONTAINERS = (list, dict, set, deque)


class Belongings(Reach):
    """What belongs to a model, with all that the library itself has set.

    The attributes of an object are a dict like others: so their order is put back too.
    """

    most_objects = sys.maxsize

    def _unwrap(self, thing: Any) -> Any:
        return unwrap_proxy(thing)

    def _kind(self, thing: Any) -> Kind | None:
        if isinstance(thing, (*CONTAINERS, tuple)):
            return super()._kind(thing)
        return OPAQUE if is_followed(thing) else None

    def _interesting(self, node: Node) -> Iterator[tuple[str, Any]]:
        yield from super()._interesting(node)
        if has_attributes(node.thing):
            yield "", vars(node.thing)

    def _is_data(self, container: Any) -> bool:
        return len(container) > MOST_ITEMS


def has_attributes(thing: object) -> bool:
    """Whether it has a dict of its own for them."""
    return isinstance(getattr(thing, "__dict__", None), dict)


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
