"""The variables of a model by name: the way that leads to them from the model.

The same script gives the same names in each process, whatever was made first or lately. What is
reached on several ways has the name of the first: over layers, then metrics and losses, then the
optimizer, then all other attributes by their name. That order is why `state.graph` does not do it.
"""

import heapq
import itertools
from collections.abc import Iterator
from typing import Any

from fitguard.contract.held_variables import LAYERS, may_hold, rank_of, unwrap_variable
from fitguard.contract.libraries import package_of
from fitguard.contract.model_parts import unwrap_proxy
from fitguard.memory.unchanged.reached import CONTAINERS, MOST_ITEMS, is_followed

_OURS = "fitguard"
"""The guarded train function hangs on the model, and has variables that are none of the model's."""
_PLAIN = (type(None), bool, int, float, str, bytes)


def variables_by_way(start: Any) -> Iterator[tuple[str, Any]]:
    """Each variable that belongs to `start`, once, with its name."""
    seen: dict[int, object] = {}
    numbers = itertools.count()
    waiting = [(0, next(numbers), "", start)]
    while waiting:
        rank, _, way, thing = heapq.heappop(waiting)
        thing = unwrap_proxy(thing)
        variable = unwrap_variable(thing)
        thing = thing if variable is None else variable
        if id(thing) in seen:
            continue
        if variable is not None:
            seen[id(thing)] = thing
            yield way, thing
        elif is_followed(thing) and _may_hold(thing):
            seen[id(thing)] = thing
            for edge, name, part in _rank_parts(thing):
                entry = (max(rank, edge), next(numbers), f"{way}.{name}" if way else name, part)
                heapq.heappush(waiting, entry)


def _rank_parts(thing: Any) -> list[tuple[int, str, Any]]:
    """What it holds that may hold variables: attributes by name, items in their order."""
    found = [
        (name, part)
        for name, part in _parts(thing)
        if not isinstance(part, _PLAIN) and not _is_empty(part)
    ]
    if isinstance(thing, (*CONTAINERS, tuple)):
        return [(LAYERS, name, part) for name, part in found]
    ranked = [
        (rank, name, part) for name, part in found if (rank := rank_of(thing, name)) is not None
    ]
    return sorted(ranked, key=lambda part: part[:2])


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """What a thing holds: attributes by name, items by key or number."""
    attributes = getattr(thing, "__dict__", None)
    if isinstance(attributes, dict):
        yield from attributes.items()
    if isinstance(thing, (*CONTAINERS, tuple)) and len(thing) <= MOST_ITEMS:
        items = thing.items() if isinstance(thing, dict) else enumerate(thing)
        yield from ((str(key), item) for key, item in items)


def _may_hold(thing: Any) -> bool:
    cls: type = type(thing)
    return package_of(cls) != _OURS and may_hold(cls)


def _is_empty(part: Any) -> bool:
    return isinstance(part, list | dict | set | tuple) and not part
