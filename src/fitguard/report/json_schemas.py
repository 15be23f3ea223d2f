"""The JSON Schemas of what fitguard writes, made from the structs themselves."""

import inspect
from typing import Any

import msgspec

from fitguard.schema.data import DATA_SCHEMA, DataReport
from fitguard.schema.diagnosis import DIAGNOSIS_SCHEMA, Diagnosis
from fitguard.schema.doctor import DOCTOR_SCHEMA, DoctorReport
from fitguard.schema.facts import FACTS_SCHEMA, Facts
from fitguard.schema.plan import PLAN_SCHEMA, Plan
from fitguard.schema.resolution import RESOLVE_SCHEMA, Resolution
from fitguard.schema.run import RUN_SCHEMA, Run
from fitguard.schema.run_list import RUNS_SCHEMA, RunList

DIALECT = "https://json-schema.org/draft/2020-12/schema"

PUBLISHED: dict[str, tuple[str, type[msgspec.Struct]]] = {
    "data": (DATA_SCHEMA, DataReport),
    "diagnosis": (DIAGNOSIS_SCHEMA, Diagnosis),
    "doctor": (DOCTOR_SCHEMA, DoctorReport),
    "facts": (FACTS_SCHEMA, Facts),
    "plan": (PLAN_SCHEMA, Plan),
    "resolve": (RESOLVE_SCHEMA, Resolution),
    "run": (RUN_SCHEMA, Run),
    "runs": (RUNS_SCHEMA, RunList),
}
"""File name → the `schema` field of the document, and its struct."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one kind of document."""
    identifier, struct = PUBLISHED[name]
    head = {"$schema": DIALECT, "$id": identifier, "title": f"fitguard {name}"}
    body: dict[str, Any] = _dedented(msgspec.json.schema(struct))
    return head | body


def json_schema_text(name: str) -> str:
    """The same as the bytes of its file."""
    return msgspec.json.format(msgspec.json.encode(json_schema(name)), indent=2).decode() + "\n"


def _dedented(schema: Any) -> Any:
    """Descriptions come from docstrings, with the indentation of the source."""
    if isinstance(schema, dict):
        return {
            key: inspect.cleandoc(value)
            if key == "description" and isinstance(value, str)
            else _dedented(value)
            for key, value in schema.items()
        }
    return [_dedented(item) for item in schema] if isinstance(schema, list) else schema
