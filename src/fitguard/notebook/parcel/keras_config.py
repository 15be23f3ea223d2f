"""Keras' own config of an object, with the code of the user's that it names."""

import contextlib
import importlib
import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fitguard.notebook.parcel.errors import cannot_carry
from fitguard.notebook.parcel.nodes import Node
from fitguard.notebook.parcel.sides import Packing, Unpacking

_LAMBDA = "fitguard-lambda-"
_ALWAYS_WRITTEN = {"name", "trainable", "dtype"}
_MODULES = {
    "keras": (
        "keras.src.saving.serialization_lib",
        "keras.src.saving.object_registration",
        "keras.src.utils.python_utils",
    ),
    "tf_keras": (
        "tf_keras.src.saving.serialization_lib",
        "tf_keras.src.saving.object_registration",
        "tf_keras.src.utils.generic_utils",
    ),
}
"""Where each library serializes, names custom objects, and writes lambdas."""


@dataclass
class Config:
    """What Keras wrote.

    Args:
        text: JSON.
        custom: Classes and functions of the user's, by the name that Keras knows them by.
        lambdas: In place of the bytecode that Keras would write.
    """

    text: str = ""
    custom: dict[str, Any] = field(default_factory=dict)
    lambdas: list[Any] = field(default_factory=list)

    def nodes(self, packing: Packing, where: str) -> dict[str, Any]:
        """How all of it is written down."""
        custom: dict[str, Node] = {
            name: packing.node(thing, f"{name} (used by {where})")
            for name, thing in self.custom.items()
        }
        lambdas = [packing.node(thing, f"a lambda of {where}") for thing in self.lambdas]
        return {"config": self.text, "custom": custom, "lambdas": lambdas}


def config_of(value: Any, library: str, where: str, advice: str) -> Config:
    """The config of a model, layer, loss, …

    Raises:
        CannotCarry: where Keras cannot write one.
    """
    serializing, registering, functions = map(importlib.import_module, _MODULES[library])
    config = Config()
    name_of = registering.get_registered_name

    def recorded(thing: Any) -> Any:
        name = name_of(thing)
        if callable(thing) and thing.__module__ != "builtins":
            config.custom[str(name)] = thing
        return name

    def dumped(function: Any) -> tuple[str, None, None]:
        config.lambdas.append(function)
        return f"{_LAMBDA}{len(config.lambdas) - 1}", None, None

    with (
        _replaced(registering, "get_registered_name", recorded),
        _replaced(functions, "func_dump", dumped),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            written = serializing.serialize_keras_object(value)
            _leave_out_unknown(written, config.custom)
            config.text = json.dumps(written)
        except (TypeError, ValueError, NotImplementedError, OSError) as error:
            first = str(error).strip().partition("\n")[0]
            raise cannot_carry(
                value, where, f"Keras has no config of it ({first})", advice
            ) from error
    return config


def _leave_out_unknown(written: Any, custom: dict[str, Any]) -> None:
    """Keras writes `trainable` and `dtype` even where an `__init__` of the user's takes neither."""
    for part in written.values() if isinstance(written, dict) else written:
        if isinstance(part, dict | list | tuple):
            _leave_out_unknown(part, custom)
    if not isinstance(written, dict) or not isinstance(written.get("config"), dict):
        return
    cls: Any = custom.get(str(written.get("registered_name")))
    if cls is None or inspect.isfunction(cls):
        return
    # Not the signature of the class: Keras' `__new__` takes anything.
    parameters = inspect.signature(cls.__init__).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in _ALWAYS_WRITTEN - parameters.keys():
            written["config"].pop(name, None)


def made_from_config(node: Any, unpacking: Unpacking) -> Any:
    """The object again."""
    serializing, _, functions = map(importlib.import_module, _MODULES[node.library])
    custom = {name: unpacking.value(thing) for name, thing in node.custom.items()}
    load = functions.func_load

    def loaded(code: Any, *args: Any, **kwargs: Any) -> Any:
        text = code[0] if isinstance(code, list | tuple) else code
        if isinstance(text, str) and text.startswith(_LAMBDA):
            return unpacking.value(node.lambdas[int(text.removeprefix(_LAMBDA))])
        return load(code, *args, **kwargs)

    with _replaced(functions, "func_load", loaded):
        return serializing.deserialize_keras_object(
            json.loads(node.config), custom_objects=custom, safe_mode=False
        )


@contextlib.contextmanager
def _replaced(module: Any, name: str, function: Callable[..., Any]) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, original)
