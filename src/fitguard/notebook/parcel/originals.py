"""Objects that came from the other side: what they hold now goes back into the very same object."""

import collections
import copyreg
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from fitguard.contract.libraries import is_a
from fitguard.contract.random_sources import is_random_source, put_state
from fitguard.contract.random_sources import state_of as random_state
from fitguard.notebook.parcel.arrays import fill_array, was_written_to, write_array
from fitguard.notebook.parcel.keras_objects import KERAS, fill_keras, values_of
from fitguard.notebook.parcel.models import fill_model, model_state

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker

_SEQUENCES = (list, set, collections.deque, bytearray)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_CODE = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)
_SAME = "same"
"""Of an object that cannot have changed, or is seen not to have."""
_NO_ORIGINAL = ""


def is_original(value: Any) -> bool:
    """Whether it goes back as the object that it came from; else as a copy."""
    return _kind(value) != _NO_ORIGINAL


def state_of(value: Any, packing: "Packer", *, careful: bool) -> tuple[str, Any] | None:
    """What an original holds now; None where it has not changed.

    Args:
        careful: Leave out attributes that cannot go over.
    """
    kind = _kind(value)
    if kind == _SAME:
        return None
    if kind == "instance" and careful:
        attributes, items, pairs, _ = _read_instance(value, packing)
        missing = [name for name, part in attributes.items() if packing.failure(part)]
        kept = {name: part for name, part in attributes.items() if name not in missing}
        return kind, (kept, items, pairs, missing)
    return kind, _READ[kind](value, packing)


def fill(value: Any, state: tuple[str, Any], unpacking: "Unpacker") -> None:
    """Let an original hold what its image held on the other side."""
    kind, content = state
    _FILL[kind](value, content, unpacking)


def is_frame(value: Any) -> bool:
    """Whether it is of pandas."""
    pandas: Any = sys.modules.get("pandas")
    kinds = (pandas.DataFrame, pandas.Series, pandas.Index) if pandas is not None else ()
    return isinstance(value, kinds)


def _kind(value: Any) -> str:
    cls = type(value)
    if cls in _SEQUENCES:
        return "sequence"
    if cls in _MAPPINGS:
        return "mapping"
    if cls is np.ndarray:
        return "array" if was_written_to(value) else _SAME
    if is_random_source(value):
        return "generator"
    if is_a(value, "Model"):
        return "model"
    if is_a(value, *KERAS):
        return "keras"
    tf: Any = sys.modules.get("tensorflow")
    if tf is not None and isinstance(value, tf.Variable):
        return "variable"
    constant = (tf.Tensor, tf.data.Dataset) if tf is not None else ()
    if isinstance(value, (*_CODE, *constant)) or is_frame(value) or _is_compiled(value):
        return _SAME
    if _reduce_object(value) is None:
        return _NO_ORIGINAL
    return "state" if hasattr(cls, "__setstate__") else "instance"


def _is_compiled(value: Any) -> bool:
    """Whether it is a function inside of `tf.function` and the like."""
    return callable(value) and callable(getattr(value, "python_function", None))


def _reduce_object(value: Any) -> tuple[Any, Any, Any] | None:
    """State and items of an object that Python makes empty and then fills; None for others."""
    if type(value) is SimpleNamespace:
        return vars(value), None, None
    try:
        made, _, state, items, pairs = (*value.__reduce_ex__(4), None, None, None)[:5]
    except Exception:  # then it cannot be pickled, which is said elsewhere
        return None
    if made is not copyreg.__newobj__:  # type: ignore[attr-defined]
        return None
    return state, items, pairs


def _read_instance(value: Any, _: "Packer") -> tuple[Any, ...]:
    """Attributes, items, and the names of attributes that are left out."""
    state, items, pairs = _reduce_object(value) or (None, None, None)
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    listed = list(items) if items is not None else None
    pairs = dict(pairs) if pairs is not None else None
    return {**(attributes or {}), **(slots or {})}, listed, pairs, []


def _fill_instance(value: Any, state: tuple[Any, ...], _: "Unpacker") -> None:
    """Give it the attributes, past a `__setattr__` of its own; those that are gone go."""
    attributes, items, pairs, missing = state
    for name, attribute in attributes.items():
        object.__setattr__(value, name, attribute)
    kept = {*attributes, *missing}
    for name in [name for name in getattr(value, "__dict__", {}) if name not in kept]:
        object.__delattr__(value, name)
    if pairs is not None or isinstance(value, dict):
        dict.clear(value)
        dict.update(value, pairs or {})
    elif items is not None or isinstance(value, list):
        value[:] = items or []


def _read_state(value: Any, _: "Packer") -> Any:
    return (_reduce_object(value) or (None,))[0]


def _fill_sequence(value: Any, items: list[Any], _: "Unpacker") -> None:
    value.clear()
    (value.update if isinstance(value, set) else value.extend)(items)


def _fill_mapping(value: Any, pairs: dict[Any, Any], _: "Unpacker") -> None:
    value.clear()
    value.update(pairs)


def _read_array(value: Any, packing: "Packer") -> Any:
    return write_array(value, packing.files) if packing.files is not None else ()


_READ: dict[str, Any] = {
    "sequence": lambda value, _: list(value),
    "mapping": lambda value, _: dict(value),
    "array": _read_array,
    "generator": lambda value, _: random_state(value),
    "model": model_state,
    "keras": lambda value, _: values_of(value),
    "variable": lambda value, _: value.numpy(),
    "state": _read_state,
    "instance": _read_instance,
}
_FILL: dict[str, Any] = {
    "sequence": _fill_sequence,
    "mapping": _fill_mapping,
    "array": lambda value, packed, _: fill_array(value, packed),
    "generator": lambda value, state, _: put_state(value, state),
    "model": fill_model,
    "keras": lambda value, values, _: fill_keras(value, values),
    "variable": lambda value, array, _: value.assign(array),
    "state": lambda value, state, _: value.__setstate__(state),
    "instance": _fill_instance,
}
