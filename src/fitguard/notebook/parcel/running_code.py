"""Carried source becomes functions and classes again."""

import ast
import sys
from types import ModuleType
from typing import Any

from fitguard.notebook.parcel.carried_code import AROUND
from fitguard.notebook.parcel.nodes import Code
from fitguard.notebook.parcel.sides import Unpacking


def make_code(node: Code, unpacking: Unpacking) -> Any:
    """Define it among the names of its module; the names of the user's are not touched."""
    module = _module(node.module, unpacking)
    for name, needed in node.before.items():
        setattr(module, name, unpacking.value(needed))
    defined: dict[str, Any] = {}
    tree = ast.increment_lineno(ast.parse(node.source), node.line - 1)
    # TensorFlow reads the source of what it compiles, and tracebacks quote it.
    exec(compile(tree, str(unpacking.code_file()), "exec"), vars(module), defined)
    made = defined[node.name]
    if node.name == AROUND:
        return made(**{name: unpacking.value(value) for name, value in node.free.items()})
    return made


def fill_code(_: Any, node: Code, unpacking: Unpacking) -> None:
    """Bind the names that it uses when it is called."""
    module = _module(node.module, unpacking)
    for name, used in node.uses.items():
        unpacking.bind(module, name, used)


def _module(name: str, unpacking: Unpacking) -> ModuleType:
    if name == unpacking.main.__name__:
        return unpacking.main
    __import__(name)
    return sys.modules[name]
