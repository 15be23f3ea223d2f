"""The JSON Schemas of what fitguard writes, made from the structs themselves."""

import inspect
from typing import Any

import msgspec

from fitguard.report.registry import BY_NAME

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one kind of document."""
    entry = BY_NAME[name]
    head = {"$schema": DIALECT, "$id": entry.schema, "title": f"fitguard {name}"}
    body: dict[str, Any] = _dedent(msgspec.json.schema(entry.struct))
    return head | body


def json_schema_text(name: str) -> str:
    """The same as the bytes of its file."""
    return msgspec.json.format(msgspec.json.encode(json_schema(name)), indent=2).decode() + "\n"


def _dedent(schema: Any) -> Any:
    """Descriptions come from docstrings, with the indentation of the source."""
    if isinstance(schema, dict):
        return {
            key: inspect.cleandoc(value)
            if key == "description" and isinstance(value, str)
            else _dedent(value)
            for key, value in schema.items()
        }
    return [_dedent(item) for item in schema] if isinstance(schema, list) else schema
