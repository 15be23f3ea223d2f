"""Modules, and what can be imported from one: only the address goes over."""

import functools
import importlib
import sys
from types import MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

import numpy as np

from fitguard.notebook.parcel.errors import cannot_carry
from fitguard.notebook.parcel.nodes import Import
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking


def pack_import(value: Any, packing: Packing, where: str) -> Packed:
    """A module or something inside of one, or NotMine."""
    if isinstance(value, ModuleType):
        name = value.__name__
        if value is packing.main or sys.modules.get(name) is not value:
            advice = "Save it as a file beside the notebook and import it."
            raise cannot_carry(value, where, "no file to import it from", advice)
        return Import(name)
    for module, path in _addresses(value):
        if module != packing.main.__name__ and _leads_to(value, module, path):
            return Import(module, path)
    return NotMine


def make_import(node: Import, _: Unpacking) -> Any:
    """The module, or what is inside."""
    module: Any = importlib.import_module(node.module)
    return functools.reduce(getattr, node.path.split("."), module) if node.path else module


def _addresses(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, np.ufunc):
        return [("numpy", value.__name__)]
    if isinstance(value, MethodDescriptorType | WrapperDescriptorType):
        cls = value.__objclass__
        return [(cls.__module__, f"{cls.__qualname__}.{value.__name__}")]
    found = []
    module = getattr(value, "__module__", None)
    for attribute in ("__qualname__", "__name__", "_name"):
        path = getattr(value, attribute, None)
        if isinstance(module, str) and isinstance(path, str):
            found.append((module, path))
    # TensorFlow replaces functions by wrappers after they are defined.
    public = vars(value).get("_tf_api_names", ()) if hasattr(value, "__dict__") else ()
    return found + [("tensorflow", path) for path in public]


def _leads_to(value: Any, module: str, path: str) -> bool:
    found: Any = sys.modules.get(module)
    if getattr(found, "__spec__", None) is None:
        return False
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is value
