"""What kind of values a field holds, by its dtype and what lies in it."""

from typing import Literal

from fitguard.checks.data.derived.wording import format_field
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence

ValueKind = Literal["number", "text", "object", "complex", "time", "record", "unknown"]

_TEXT = frozenset(("str", "str_", "bytes", "bytes_"))
_NUMBERS = ("float", "bfloat", "int", "uint", "bool")


def value_kind(field: Field) -> ValueKind:
    """The kind of values; an object array that holds nothing but text counts as text.

    Example:
        >>> from fitguard.schema.data import Field
        >>> value_kind(Field(role="x", name="x", container="numpy.ndarray", dtype="<U5", shape=()))
        'text'
    """
    dtype = field.dtype.lstrip("<>|=")
    if dtype == "object":
        return _kind_of_objects(field.python_types)
    if dtype.startswith(("datetime", "timedelta", "M8", "m8")):
        return "time"
    if dtype.startswith("complex"):
        return "complex"
    if dtype.startswith(("[", "(", "void", "V")):
        return "record"
    if dtype.startswith(("str", "bytes", "U", "S")):
        return "text"
    return "number" if dtype.startswith(_NUMBERS) else "unknown"


def _kind_of_objects(types: tuple[str, ...]) -> ValueKind:
    if not types:
        return "unknown"
    return "text" if _TEXT.issuperset(types) else "object"


def quote_examples(field: Field) -> tuple[Evidence, ...]:
    """A few of the values that the field holds, as they are written."""
    if not field.examples:
        return ()
    return (Evidence(f"such as {', '.join(field.examples)}", format_field(field)),)
