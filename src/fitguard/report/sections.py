"""All facts as sections of rows, made from the structs, so that a new field shows by itself."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from fitguard.report.words import label, say, title
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu

TITLES = {
    "platform": "Operating system",
    "libraries": "CUDA libraries",
    "kernel_log": "Kernel log",
    "cpu": "Processor",
    "environment": "Environment variables",
    "deep": "Import of TensorFlow in a child process",
    "failed_probes": "Probes that failed",
}


class Section(NamedTuple):
    """Rows under a title; without headers, each row is a label and a value."""

    title: str
    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def filled(section: Section) -> Section:
    """The section without the columns in which nothing stands."""
    places = range(len(section.headers))
    told = [place for place in places if any(row[place] for row in section.rows)]
    rows = [tuple(row[place] for place in told) for row in section.rows]
    return Section(section.title, tuple(section.headers[place] for place in told), rows)


def sections(facts: Facts) -> list[Section]:
    """Every fact that is known; a section with nothing in it is left out."""
    found: list[Section] = []
    for field in facts.__struct_fields__:
        value = getattr(facts, field)
        if field != "schema" and value is not None:
            found += _of(TITLES.get(field) or title(label(field)), value)
    return [section for section in found if section.rows]


def _of(heading: str, value: Any) -> list[Section]:
    if isinstance(value, dict):
        return [Section(heading, (), [(key, say(key, item)) for key, item in value.items()])]
    if isinstance(value, tuple):
        return _of_many(heading, value)
    return _of_struct(heading, value)


def _of_many(heading: str, structs: tuple[msgspec.Struct, ...]) -> list[Section]:
    gpus = [struct for struct in structs if isinstance(struct, Gpu)]
    if gpus:
        return [part for gpu in gpus for part in _of_struct(f"GPU {gpu.index}", gpu)]
    if not structs and heading == "GPUs":
        return [Section(heading, (), [("found", "none")])]
    return [_table(heading, structs)]


def _of_struct(heading: str, struct: msgspec.Struct) -> list[Section]:
    """The plain fields as one section; lists of structs and dicts as sections of their own."""
    plain, parts = [], []
    for field in struct.__struct_fields__:
        value = getattr(struct, field)
        if isinstance(value, dict) or _is_table(value):
            parts += _of(f"{heading}: {label(field)}", value)
        elif words := say(field, value):
            plain.append((label(field), words))
    return [Section(heading, (), plain), *parts]


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, msgspec.Struct) for item in value)


def _table(heading: str, structs: tuple[msgspec.Struct, ...]) -> Section:
    """One row for each struct, long paths last; columns in which nothing is known are left out.

    A place that all rows share is said once, in the heading; where a row has a location, its
    origin (a file in it) says nothing more.
    """
    first, *others = structs[0].__struct_fields__ if structs else ("",)
    fields = [first, *sorted(others, key=lambda field: field in ("path", "location"))]
    cells = {field: [say(field, getattr(item, field)) for item in structs] for field in fields}
    if any(cells.get("location", ())):
        cells.pop("origin", None)
        if len(places := set(cells["location"])) == 1:
            heading = f"{heading} in {places.pop()}"
            del cells["location"]
    rows = list(zip(*cells.values(), strict=True))
    return filled(Section(heading, tuple(label(field) for field in cells), rows))
