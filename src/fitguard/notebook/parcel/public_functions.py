"""Functions of TensorFlow that it has wrapped: where they were defined there is another one."""

import functools
import importlib
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker


def pack_public_function(value: Any, _: "Packer") -> Any:
    """Its public name; None for what is no such function."""
    names = vars(value).get("_tf_api_names", ()) if isinstance(value, FunctionType) else ()
    return next((name for name in names if _public(name) is value), None)


def make_public_function(name: str, _: "Unpacker") -> Any:
    """The function again."""
    return _public(name)


def _public(name: str) -> Any:
    module: Any = importlib.import_module("tensorflow")
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        return None
