"""JSON for programs, and its published schemas."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import BROKEN, DOCUMENTS, UNSEEN, hostile

import fitguard.knowledge
from fitguard.report.formats.json_text import to_json
from fitguard.report.json_schemas import json_schema, json_schema_text
from fitguard.report.privacy.redaction import redact_here
from fitguard.report.registry import BY_NAME, entry_of

FOLDER = Path(next(iter(fitguard.knowledge.__path__))) / "schemas"


def schema_of(document: msgspec.Struct) -> dict[str, object]:
    return json_schema(entry_of(document).name)


def test_pretty_in_the_order_of_the_struct() -> None:
    text = to_json(BROKEN)
    assert text.startswith('{\n  "schema": "fitguard/doctor/1",\n  "ok": false,\n  "findings": [\n')
    assert text.endswith("}\n")
    assert list(json.loads(text)["findings"][0]) == [
        "code", "slug", "severity", "confidence", "title", "evidence", "fix",
    ]  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_reads_back_as_the_same_document(name: str) -> None:
    document = DOCUMENTS[name]
    assert msgspec.json.decode(to_json(document), type=type(document)) == document


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_hostile_strings_read_back_and_stay_escaped(text: str) -> None:
    document = hostile(text)
    shown = to_json(document)
    assert msgspec.json.decode(shown, type=type(document)) == document
    assert not {char for char in shown if (char < " " and char != "\n") or "\x7f" <= char <= "\x9f"}


@pytest.mark.parametrize("char", UNSEEN)
def test_what_nobody_sees_is_escaped_and_reads_back(char: str) -> None:
    shown = to_json(hostile(f"a{char}b"))
    assert char not in shown
    assert json.loads(shown)["findings"][0]["title"] == f"a{char}b"


def test_half_a_surrogate_is_spelled_out() -> None:
    title = json.loads(to_json(hostile("x\udc80")))["findings"][0]["title"]
    assert title == "x\\udc80"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_output_validates_against_its_schema(name: str) -> None:
    document = redact_here(DOCUMENTS[name])
    jsonschema.Draft202012Validator(schema_of(document)).validate(json.loads(to_json(document)))


def test_the_schema_refuses_what_is_wrong() -> None:
    wrong = json.loads(to_json(BROKEN))
    wrong["findings"][0]["severity"] = "catastrophe"
    with pytest.raises(jsonschema.ValidationError, match="catastrophe"):
        jsonschema.Draft202012Validator(json_schema("doctor")).validate(wrong)


@pytest.mark.parametrize("name", BY_NAME)
def test_published_schemas_are_up_to_date(name: str) -> None:
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert text == json_schema_text(name), "Run: python scripts/export_schemas.py"
    published = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(published)
    assert published["$id"] == f"fitguard/{name}/1"
