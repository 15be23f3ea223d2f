"""Lists, dicts, sets: made empty, then filled, so that they may hold themselves."""

import collections
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from fitguard.notebook.parcel.nodes import Filled
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_SEQUENCES: dict[str, tuple[type, Callable[[Any, Iterable[Any]], None]]] = {
    "list": (list, list.extend),
    "set": (set, set.update),
    "deque": (collections.deque, collections.deque.extend),
    "bytearray": (bytearray, bytearray.extend),
}
_MAPPINGS: dict[str, type] = {
    "dict": dict,
    "ordered-dict": collections.OrderedDict,
    "default-dict": collections.defaultdict,
    "counter": collections.Counter,
}
_NAMES = {cls: name for name, (cls, _) in _SEQUENCES.items()}
_NAMES |= {cls: name for name, cls in _MAPPINGS.items()}
_NAMESPACE = "namespace"


def pack_container(value: Any, packing: Packing, where: str) -> Packed:
    """A container of Python's own, or NotMine; a class below one is an instance."""
    if type(value) is SimpleNamespace:
        return Filled(_NAMESPACE, _pairs(vars(value), packing, where))
    name = _NAMES.get(type(value))
    if name is None:
        return NotMine
    if name in _MAPPINGS:
        maker = packing.node(getattr(value, "default_factory", None), f"{where}.default_factory")
        return Filled(name, _pairs(value, packing, where), maker)
    maker = getattr(value, "maxlen", None)
    items = [packing.node(item, f"{where}[{index}]") for index, item in enumerate(value)]
    return Filled(name, items, maker)


def make_container(node: Filled, unpacking: Unpacking) -> Any:
    """An empty one."""
    if node.of == _NAMESPACE:
        return SimpleNamespace()
    if node.of == "default-dict":
        return collections.defaultdict(unpacking.value(node.maker))
    if node.of == "deque":
        return collections.deque(maxlen=unpacking.value(node.maker))
    return _MAPPINGS[node.of]() if node.of in _MAPPINGS else _SEQUENCES[node.of][0]()


def fill_container(value: Any, node: Filled, unpacking: Unpacking) -> None:
    """Let it hold what the node says, and nothing else."""
    items = [unpacking.value(item) for item in node.items]
    if node.of == _NAMESPACE:
        vars(value).clear()
        vars(value).update(zip(items[::2], items[1::2], strict=True))
        return
    value.clear()
    if node.of in _MAPPINGS:
        value.update(dict(zip(items[::2], items[1::2], strict=True)))
    else:
        _SEQUENCES[node.of][1](value, items)


def _pairs(value: dict[Any, Any], packing: Packing, where: str) -> list[Any]:
    pairs = []
    for key, item in value.items():
        place = f"{where}[{key!r}]"
        pairs += [packing.node(key, f"the key {place}"), packing.node(item, place)]
    return pairs
