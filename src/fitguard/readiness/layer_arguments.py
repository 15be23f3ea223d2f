"""How a layer can be made again: its class, and the arguments that matter."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from fitguard.contract.libraries import Library

_NO_MATTER = ("name", "dtype", "trainable", "seed", "stateful", "weights", "autocast")
_NO_MATTER_ENDINGS = ("_initializer", "_regularizer", "_constraint")
"""What does not change the kernel: the probe takes random weights."""


class NotMade(Exception):
    """The layer cannot be made from plain arguments; the text says why."""


def describe_layer(library: Library, class_name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Class and arguments of a layer, as `Made`.

    Args:
        config: What its `get_config` gave.

    Raises:
        NotMade: where an argument is the user's own code.
    """
    cls = getattr(library.module("layers"), class_name, None)
    if cls is None:
        raise NotMade(f"{class_name} is none of {library.package}.layers")
    parameters = inspect.signature(cls.__init__).parameters.values()
    named = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD][1:]
    required = {one.name: config[one.name] for one in named if one.default is one.empty}
    usual = _configure(cls, required)
    arguments = {
        one.name: _simplify(library, one.name, config[one.name])
        for one in named
        if one.name in config
        and one.name not in _NO_MATTER
        and not one.name.endswith(_NO_MATTER_ENDINGS)
        and (one.name in required or _differs(config[one.name], usual.get(one.name)))
    }
    if class_name == "Bidirectional" and _is_mirrored(arguments):
        del arguments["backward_layer"]
    return {"class_name": class_name, "arguments": arguments}


def _is_mirrored(arguments: Mapping[str, Any]) -> bool:
    """Whether the layer that goes backward is the usual one."""
    both = [arguments["layer"], arguments.get("backward_layer") or {"arguments": {}}]
    forward, backward = ({**one["arguments"]} for one in both)
    return forward.pop("go_backwards", False) != backward.pop("go_backwards", False) and (
        forward == backward
    )


def _configure(cls: Any, required: dict[str, Any]) -> dict[str, Any]:
    """The config of such a layer that is given nothing but what it must be given."""
    try:
        return dict(cls.from_config(dict(required)).get_config())
    except Exception:  # of Keras: all arguments are named then
        return {}


def _differs(given: Any, usual: Any) -> bool:
    """Keras writes the same axis as -1, (-1,) or [-1]."""
    plain = [list(one) if isinstance(one, tuple | list) else one for one in (given, usual)]
    return plain[0] != plain[1] and plain[0] != [plain[1]]


def _simplify(library: Library, name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [_simplify(library, name, one) for one in value]
    if isinstance(value, Mapping) and "class_name" in value and "config" in value:
        class_name = str(value["class_name"])
        of_user = value.get("registered_name") not in (None, class_name)
        if not of_user and isinstance(value["config"], Mapping):
            return describe_layer(library, class_name, value["config"])
    raise NotMade(f"its {name} is code of your own")
