"""Objects of classes in Python: their class and their attributes."""

import copyreg
from typing import Any

from fitguard.contract.libraries import package_of
from fitguard.notebook.parcel.errors import CannotCarry
from fitguard.notebook.parcel.nodes import Instance, Node
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_OWN_WAY = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__")


def pack_instance(value: Any, packing: Packing, where: str) -> Packed:
    """An object whose attributes, and items, are all that it is, or NotMine."""
    parts = _parts(value)
    if parts is None:
        return NotMine
    known, items = parts
    attributes: dict[str, Node] = {}
    missing: list[str] = []
    for name, attribute in known.items():
        try:
            attributes[name] = packing.node(attribute, f"{where}.{name}")
        except CannotCarry:
            if not packing.lenient:
                raise
            missing.append(name)
    cls = packing.node(type(value), f"the class of {where}")
    return Instance(cls, attributes, missing, packing.node(items, where))


def make_instance(node: Instance, unpacking: Unpacking) -> Any:
    """An object without its attributes; its `__init__` is not called."""
    cls = unpacking.value(node.cls)
    return cls.__new__(cls)


def fill_instance(value: Any, node: Instance, unpacking: Unpacking) -> None:
    """Give it the attributes, past a `__setattr__` of its own; those that are gone go."""
    for name, attribute in node.attributes.items():
        object.__setattr__(value, name, unpacking.value(attribute))
    kept = {*node.attributes, *node.missing}
    for name in [name for name in getattr(value, "__dict__", {}) if name not in kept]:
        object.__delattr__(value, name)
    items = unpacking.value(node.items)
    if isinstance(value, dict):
        dict.clear(value)
        dict.update(value, items)
    elif isinstance(value, list):
        value[:] = items


def _parts(value: Any) -> tuple[dict[str, Any], Any] | None:
    """Attributes and items, as Python itself would copy them; None where it would not."""
    cls = type(value)
    if cls in copyreg.dispatch_table or any(
        getattr(cls, name, None) is not getattr(object, name, None) for name in _OWN_WAY
    ):
        return None
    # A dataset holds a graph, a checkpoint its variables: more than their attributes.
    if any(package_of(base) == "tensorflow" for base in cls.__mro__):
        return None
    try:
        reduced: Any = object.__reduce_ex__(value, 2)
        made, arguments, state, items, pairs = reduced
    except (TypeError, ValueError):
        return None
    if made is not copyreg.__newobj__ or arguments != (cls,):  # type: ignore[attr-defined]
        return None
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    listed = list(items) if items is not None else None
    return {**(attributes or {}), **(slots or {})}, dict(pairs) if pairs is not None else listed
