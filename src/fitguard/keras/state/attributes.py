"""What an object remembers in its attributes: read as plain data, and put back in place.

Lists, dicts and arrays keep their identity: the script may hold the very same ones.
"""

import functools
import logging
import math
import threading
import types
from collections import deque
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from fitguard.contract.held_variables import bare
from fitguard.contract.libraries import is_a, package_of
from fitguard.contract.random_sources import is_random_source, put_state, state_of
from fitguard.keras.state import tensors
from fitguard.keras.state.variables import places
from fitguard.state.users import is_users
from fitguard.state.values import NotPlain, decode, encode

_OWN = "~in place"
"""Marks what is written into the object that is there, and not replaced."""
_DEEPEST = 5
_WITHOUT_STATE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    functools.partial,
    type,
    np.ufunc,
    logging.Logger,
    type(threading.Lock()),
)


class AttributeReader:
    """Reads the attributes of one object.

    Args:
        arrays: Gets the arrays, under names that begin with `name`.
        model: Its variables are stored elsewhere, and not here.
        most_bytes: An attribute with more in arrays is taken for data.

    Attributes:
        unsaved: Attributes that cannot be stored, and of what kind they are.
    """

    def __init__(
        self,
        arrays: dict[str, np.ndarray],
        name: str,
        model: Any = None,
        most_bytes: float = math.inf,
    ) -> None:
        self.unsaved: dict[str, str] = {}
        self._arrays = arrays
        self._name = name
        self._model = model
        self._most_bytes = most_bytes
        self._seen: dict[int, object] = {}

    def read(self, thing: Any, skipped: Collection[str] = (), way: str = "") -> dict[str, Any]:
        """The attributes that can be stored."""
        self._seen[id(thing)] = thing
        state = {}
        for attribute, value in vars(thing).items():
            if attribute in skipped or _is_stateless(value):
                continue
            full = f"{way}{attribute}"
            try:
                state[attribute] = self._stored(value, full)
            except NotPlain as error:
                self.unsaved[full] = str(error)
        return state

    def _stored(self, value: Any, way: str) -> Any:
        if value is self._model and value is not None:
            return {_OWN: "variables", "names": {}}
        if bare(value) is not None or _is_of_library(value):
            return self._variables(value, way)
        if is_random_source(value):
            return {_OWN: "random", "state": encode(state_of(value))}
        if is_users(type(value)) and hasattr(value, "__dict__"):
            return self._object(value, way)
        name = f"{self._name}{way}"
        return encode(value, self._arrays, name, most_bytes=self._most_bytes)

    @functools.cached_property
    def _models(self) -> frozenset[int]:
        return frozenset(id(ones[0]) for ones in places(self._model).values())

    def _variables(self, value: Any, way: str) -> dict[str, Any]:
        names = {}
        for name, ones in places(value).items():
            if id(ones[0]) not in self._models:
                names[name] = f"{self._name}{way}:{name}"
                self._arrays[names[name]] = tensors.read(ones[0])
        return {_OWN: "variables", "names": names}

    def _object(self, value: Any, way: str) -> dict[str, Any]:
        if id(value) in self._seen or way.count(".") >= _DEEPEST:
            return {_OWN: "object", "class": type(value).__qualname__, "state": {}}
        state = self.read(value, way=f"{way}.")
        return {_OWN: "object", "class": type(value).__qualname__, "state": state}


def write_attributes(
    thing: Any, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> list[str]:
    """Put attributes back as they were; the names of those that could not be."""
    failed = []
    for attribute, stored in state.items():
        try:
            _write(vars(thing), attribute, stored, arrays)
        except (KeyError, TypeError, ValueError, AttributeError):
            failed.append(attribute)
    return failed


def _write(
    attributes: dict[str, Any], name: str, stored: Any, arrays: Mapping[str, np.ndarray]
) -> None:
    if not (isinstance(stored, dict) and _OWN in stored):
        attributes[name] = _replaced(attributes.get(name), decode(stored, arrays))
        return
    present = attributes[name]
    if stored[_OWN] == "random":
        put_state(present, decode(stored["state"], arrays))
    elif stored[_OWN] == "variables":
        here = places(present)
        for way, array in stored["names"].items():
            for one in here[way]:
                tensors.write(one, arrays[array])
    elif type(present).__qualname__ != stored["class"]:
        raise TypeError(f"{name} is now of another class")
    elif failed := write_attributes(present, stored["state"], arrays):
        raise ValueError(f"{name}: {failed}")


def _replaced(present: Any, value: Any) -> Any:
    """The object that is there, with what the stored one holds; the stored one if it differs."""
    if type(present) is not type(value) or present is value:
        return value
    if isinstance(value, list):
        present[:] = value
    elif isinstance(value, dict | set):
        present.clear()
        present.update(value)
    elif isinstance(value, deque) and present.maxlen == value.maxlen:
        present.clear()
        present.extend(value)
    elif _fits(present, value):
        present[...] = value
    else:
        return value
    return present


def _fits(present: Any, value: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and present.shape == value.shape
        and present.dtype == value.dtype
        and bool(present.flags.writeable)
    )


def _is_of_library(value: Any) -> bool:
    """Whether it is a layer, model, metric or optimizer, or a module of TensorFlow."""
    kinds = ("Layer", "Metric", "Optimizer", "BaseOptimizer", "Loss", "SeedGenerator")
    return is_a(value, *kinds) or _is_of_tensorflow(value, "Module")


def _is_stateless(value: Any) -> bool:
    """Whether it is code, or data that training reads."""
    return (
        isinstance(value, _WITHOUT_STATE)
        or is_a(value, "PyDataset", "Sequence")
        or _is_of_tensorflow(value, "DatasetV2", "Function")
    )


def _is_of_tensorflow(value: Any, *names: str) -> bool:
    bases = type(value).__mro__
    return any(base.__name__ in names and package_of(base) == "tensorflow" for base in bases)
