"""The documents that can be shown, and one way to go over all the strings in them."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from fitguard.schema.data import DataReport
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts
from fitguard.schema.plan import Plan
from fitguard.schema.resolution import Resolution
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList

Judged = DoctorReport | DataReport
"""Documents that hold findings, and the checks that were made."""

Document = Judged | Diagnosis | Facts | Plan | Resolution | Run | RunList

T = TypeVar("T")


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
