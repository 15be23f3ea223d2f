"""Functions and classes: imported where that works, otherwise carried as source.

What a carried function uses goes with it: modules by import, functions and classes of the notebook
by source, plain values and arrays as they are. What stands in a module that can be imported is
never copied.
"""

import sys
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

from fitguard.notebook.parcel.definitions import Definition, definition_of, undecorated
from fitguard.notebook.parcel.errors import cannot_carry
from fitguard.notebook.parcel.names_used import names_used
from fitguard.notebook.parcel.nodes import Code, Node
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing

AROUND = "_fitguard_around"
"""Name of a function that is put around what stood inside of one."""
_NO_SOURCE = (
    "Define it with `def`, `class` or `@decorator` in a cell or a file, so that its source can be "
    "read, or put it into a module that can be imported."
)


def pack_code(value: Any, packing: Packing, where: str) -> Packed:
    """A function or class with its source and what it uses, or NotMine."""
    if not (isinstance(value, type) or isinstance(undecorated(value), FunctionType)):
        return NotMine
    name = getattr(value, "__qualname__", None) or where
    module = _home(value, name, where)
    names = packing.main.__dict__ if module is packing.main else vars(module)
    definition = definition_of(value, names)
    if definition is None:
        raise cannot_carry(value, _told(name, where), "its source was not found", _NO_SOURCE)
    stood_inside = definition.indentation > 0 or not definition.name
    free = {
        key: packing.node(content, f"{key} (used by {name})")
        for key, content in (_free_values(value).items() if stood_inside else ())
    }
    text = wrapped(definition, list(free)) if stood_inside else definition.source
    before, uses = _used(text, name, packing) if module is packing.main else ({}, {})
    return Code(
        source=text,
        name=AROUND if stood_inside else definition.name,
        module=module.__name__,
        line=packing.source(text),
        free=free,
        before=before,
        uses=uses,
    )


def wrapped(definition: Definition, free: list[str]) -> str:
    """What stood inside of a function gets a function around it again, which returns it."""
    head = f"def {AROUND}({', '.join(free)}):\n"
    if not definition.name:
        return f"{head}    return ({definition.source}\n    )\n"
    return f"{head}{definition.source}{' ' * definition.indentation}return {definition.name}\n"


def _used(text: str, name: str, packing: Packing) -> tuple[dict[str, Node], dict[str, Node]]:
    """What the source needs as it is defined, and what it needs when it is called."""
    used = names_used(text)
    known = packing.main.__dict__
    for missing in [key for key in used.at_once if key not in known]:
        raise cannot_carry(
            None,
            f"{name}",
            f"it uses {missing}, a name of the function that it was made in",
            f"Make {missing} a global name, or put {name} into a module that can be imported.",
        )
    before = {key: packing.named(key, f"{key} (used by {name})") for key in used.at_once}
    later = [key for key in used.later if key in known and key not in before]
    uses = {key: packing.named(key, f"{key} (used by {name})") for key in later}
    packing.assigns(key for key in used.rebound)
    return before, uses


def _free_values(value: Any) -> dict[str, Any]:
    """Names of the function around it, with what they hold now."""
    functions = list(vars(value).values()) if isinstance(value, type) else [value]
    found: dict[str, Any] = {}
    for function in functions:
        plain = undecorated(function) if isinstance(value, type) else function
        plain = getattr(plain, "__func__", plain)
        cells = getattr(plain, "__closure__", None) or ()
        names = plain.__code__.co_freevars if cells else ()
        for name, cell in zip(names, cells, strict=True):
            if name != "__class__":
                found[name] = cell.cell_contents
    return found


def _home(value: Any, name: str, where: str) -> ModuleType:
    """The module whose global names it uses."""
    plain = undecorated(value)
    known = getattr(plain, "__globals__", None)
    module = sys.modules.get(getattr(plain, "__module__", None) or "")
    if module is None or (known is not None and known is not vars(module)):
        module = _with_names(known)
    if module is None:
        raise cannot_carry(value, _told(name, where), "its module is not known", _NO_SOURCE)
    return module


def _with_names(known: Mapping[str, Any] | None) -> ModuleType | None:
    modules = [module for module in sys.modules.values() if isinstance(module, ModuleType)]
    return next((module for module in modules if vars(module) is known), None)


def _told(name: str, where: str) -> str:
    return name if name == where else f"{where} ({name})"
