"""All facts as sections of rows, made from the structs, so that a new field shows by itself."""

from collections.abc import Sequence
from typing import Any

import msgspec

from fitguard.report.blocks import Block, Page, Pairs, Paragraph, Section, Table, present
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import ProbeResult
from fitguard.words import label, say, title

TITLES = {
    "platform": "Operating system",
    "libraries": "CUDA libraries",
    "kernel_log": "Kernel log",
    "cpu": "Processor",
    "environment": "Environment variables",
    "deep": "Import of TensorFlow in a child process",
    "probes": "Probes",
    "failed_probes": "What could not be found out",
}


def build_page(facts: Facts) -> Page:
    """A section for each kind of fact."""
    known = build_sections(facts)
    return Page("fitguard facts", known or (Paragraph("No facts are known."),))


def build_sections(facts: Facts) -> tuple[Block, ...]:
    """Every fact that is known; a section with nothing in it is left out."""
    found: list[Section] = []
    for field in facts.__struct_fields__:
        value = getattr(facts, field)
        if field != "schema" and value is not None:
            found += _describe(TITLES.get(field) or title(label(field)), value)
    return present(*found)


def _describe(heading: str, value: Any) -> list[Section]:
    if isinstance(value, dict):
        rows = tuple((key, say(key, item)) for key, item in value.items())
        return [Section(heading, present(Pairs(rows)))]
    if isinstance(value, tuple):
        return _describe_many(heading, value)
    return _describe_struct(heading, value)


def _describe_many(heading: str, structs: tuple[msgspec.Struct, ...]) -> list[Section]:
    gpus = [struct for struct in structs if isinstance(struct, Gpu)]
    if gpus:
        return [part for gpu in gpus for part in _describe_struct(f"GPU {gpu.index}", gpu)]
    results = [struct for struct in structs if isinstance(struct, ProbeResult)]
    if results:
        return [Section(heading, (_tabulate_probes(results),))]
    if not structs and heading == "GPUs":
        return [Section(heading, (Pairs((("found", "none"),)),))]
    return [_tabulate(heading, structs)]


def _tabulate_probes(results: Sequence[ProbeResult]) -> Table:
    rows = tuple((one.name, one.device, one.status, one.detail) for one in results)
    return Table(("name", "device", "status", "detail"), rows, listed=True)


def _describe_struct(heading: str, struct: msgspec.Struct) -> list[Section]:
    """The plain fields as one section; lists of structs and dicts as sections of their own."""
    plain: list[tuple[str, str]] = []
    parts: list[Section] = []
    for field in struct.__struct_fields__:
        value = getattr(struct, field)
        if isinstance(value, dict) or _is_table(value):
            parts += _describe(f"{heading}: {label(field)}", value)
        elif words := say(field, value):
            plain.append((label(field), words))
    return [Section(heading, present(Pairs(tuple(plain)))), *parts]


def _is_table(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, msgspec.Struct) for item in value)


def _tabulate(heading: str, structs: tuple[msgspec.Struct, ...]) -> Section:
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
    rows = tuple(zip(*cells.values(), strict=True))
    table = Table(tuple(label(field) for field in cells), rows, listed=True)
    return Section(heading, present(drop_empty_columns(table)))
