"""Calls that bring one Python object back to the state that it has now."""

import io
import operator
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.random_sources import Restore, is_random_source, restore_of
from fitguard.state.bulk import bulk_restore, is_bulk, items_of
from fitguard.state.code import globals_set_by
from fitguard.state.kinds import attributes
from fitguard.state.reach import is_followed, is_plain_type
from fitguard.state.users import is_users


def restores_of(thing: Any) -> Iterator[Restore]:
    """The calls for one object, not for what it holds."""
    if is_random_source(thing):
        yield restore_of(thing)
    elif isinstance(thing, types.FunctionType):
        yield from _function_restores(thing)
    elif isinstance(thing, io.IOBase):
        if not thing.closed and thing.readable():
            yield _position_restore(thing)
    elif isinstance(thing, dict | list | tuple | set | deque | bytearray):
        yield from _container_restores(thing)
    elif isinstance(thing, type):
        if is_users(thing):
            yield from _class_restores(thing)
    else:
        yield from _instance_restores(thing)


def _position_restore(file: io.IOBase) -> Restore:
    position = file.tell()

    def restore() -> None:
        file.seek(position)

    return restore


def _function_restores(function: types.FunctionType) -> Iterator[Restore]:
    for cell in function.__closure__ or ():
        yield _cell_restore(cell)
    bound = globals_set_by(function) if is_users(function) else ()
    for name in bound:
        yield _key_restore(function.__globals__, name)


def _cell_restore(cell: types.CellType) -> Restore:
    try:
        value = cell.cell_contents
    except ValueError:
        return lambda: None

    def restore() -> None:
        cell.cell_contents = value

    return restore


def _key_restore(mapping: dict[str, Any], key: str) -> Restore:
    was_there = key in mapping
    value = mapping.get(key)

    def restore() -> None:
        if was_there:
            mapping[key] = value
        else:
            mapping.pop(key, None)

    return restore


def _container_restores(container: Any) -> Iterator[Restore]:
    if isinstance(container, dict):
        yield _mapping_restore(container)
    elif not isinstance(container, tuple):
        yield _container_restore(container)
    items = items_of(container)
    if is_bulk(items, is_plain_type) and not hasattr(items[0], "dtype"):
        yield bulk_restore(items)


def _mapping_restore(mapping: dict[Any, Any]) -> Restore:
    items = list(mapping.items())

    def restore() -> None:
        if list(mapping.keys()) != [key for key, _ in items] or any(
            mapping[key] is not value for key, value in items
        ):
            mapping.clear()
            mapping.update(items)

    return restore


def _container_restore(container: Any) -> Restore:
    items = container.copy()
    put_back: Callable[[Any], None]
    put_back = container.update if isinstance(container, set) else container.extend

    def restore() -> None:
        # An unchanged set keeps its order only when it is left alone.
        if not _same_items(container, items):
            container.clear()
            put_back(items)

    return restore


def _same_items(container: Any, items: Any) -> bool:
    if isinstance(container, set):
        return bool(container == items)
    # Equality of arrays is no truth value: the very same objects are asked for.
    return len(container) == len(items) and all(map(operator.is_, container, items))


def _class_restores(kind: type) -> Iterator[Restore]:
    values = {
        key: value
        for key, value in vars(kind).items()
        if not key.startswith("__") and not callable(value) and not hasattr(value, "__get__")
    }

    def restore() -> None:
        for key, value in values.items():
            if vars(kind).get(key) is not value:
                setattr(kind, key, value)

    yield restore


def _instance_restores(thing: Any) -> Iterator[Restore]:
    variables = _variables(thing)
    if variables is not None:
        yield from (_variable_restore(variable) for variable in variables)
    elif is_followed(type(thing)) and attributes(thing):
        yield _attributes_restore(thing)


def _attributes_restore(thing: Any) -> Restore:
    values = attributes(thing)
    users = is_users(type(thing))

    def restore() -> None:
        now = attributes(thing)
        for key, value in values.items():
            if key not in now or now[key] is not value:
                object.__setattr__(thing, key, value)
        # What a library's object has added is a cache of its own: it stays.
        for key in now.keys() - values.keys() if users else ():
            object.__delattr__(thing, key)

    return restore


def _variables(thing: Any) -> list[Any] | None:
    """The variables of a layer, model or module of TensorFlow or Keras; None for other things."""
    if type(thing).__module__.split(".")[0] in ("numpy", "pandas"):
        return None
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(thing).__mro__}
    libraries = ("tensorflow", "keras", "tf_keras")
    if any(
        (library, name) in kinds for library in libraries for name in ("Variable", "KerasVariable")
    ):
        return [thing]
    if any((library, name) in kinds for library in libraries for name in ("Layer", "Module")):
        return list(thing.variables)
    return None


def _variable_restore(variable: Any) -> Restore:
    inner = getattr(variable, "value", None)
    plain: Any = inner if hasattr(inner, "read_value") else variable
    # Shares the memory of the variable until that is written to.
    value = plain.read_value()

    def restore() -> None:
        plain.assign(value)

    return restore
