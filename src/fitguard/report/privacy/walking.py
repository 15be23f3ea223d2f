"""How to change all strings, structs of a kind or fields of a name, anywhere in a document."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


def map_strings(document: T, change: Callable[[str, str], str]) -> T:
    """A copy of structs, dicts and lists in which every string went through `change`.

    The keys of dicts are strings too; the field names of structs are not.

    Args:
        change: Called with the string and the name of the field or the key that it stands
            under; the name is empty for the key of a dict.
    """

    def walk(value: Any, name: str) -> Any:
        if isinstance(value, str):
            return change(value, name)
        if isinstance(value, msgspec.Struct):
            fields = value.__struct_fields__
            return msgspec.structs.replace(value, **{f: walk(getattr(value, f), f) for f in fields})
        if isinstance(value, dict):
            return {walk(key, ""): walk(item, str(key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)([walk(item, name) for item in value])
        return value

    result: T = walk(document, "")
    return result


def map_structs(document: T, kind: type[S], change: Callable[[S], S]) -> T:
    """The document, in which every struct of a kind went through `change`."""

    def walk(value: Any, _: str = "") -> Any:
        return change(value) if isinstance(value, kind) else _rebuild(value, walk)

    result: T = walk(document)
    return result


def map_fields(document: T, field: str, change: Callable[[Any], Any]) -> T:
    """The document, in which every field of this name went through `change`."""

    def walk(value: Any, name: str = "") -> Any:
        return change(value) if name == field else _rebuild(value, walk)

    result: T = walk(document)
    return result


def _rebuild(value: Any, walk: Callable[[Any, str], Any]) -> Any:
    """A struct or tuple whose parts were walked; the same one where none of them changed."""
    if isinstance(value, msgspec.Struct):
        before = {field: getattr(value, field) for field in value.__struct_fields__}
        after = {field: walk(part, field) for field, part in before.items()}
        changed = {field: part for field, part in after.items() if part is not before[field]}
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        parts = tuple(walk(part, "") for part in value)
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else parts
    return value
