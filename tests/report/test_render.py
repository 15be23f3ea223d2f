"""The one door: every document in every format, and what it loads."""

import subprocess
import sys
from typing import get_args

import pytest
from report.samples import DOCUMENTS, HEALTHY

from fitguard.report.registry import entry_of
from fitguard.report.render import FORMATS, Format, render
from fitguard.schema.exit_codes import UsageError

FORMS = [
    (name, format)
    for name, document in DOCUMENTS.items()
    for format in FORMATS
    if format != "sarif" or entry_of(document).finds
]
BEGINNINGS = {
    "text": "✔ No problem found",
    "json": '{\n  "schema"',
    "markdown": "## fitguard doctor",
    "html": "<!DOCTYPE html>",
    "sarif": '{\n  "$schema"',
}


@pytest.mark.parametrize("format", BEGINNINGS)
def test_formats(format: str) -> None:
    assert render(HEALTHY, format).startswith(BEGINNINGS[format])


def test_every_name_of_a_format_has_a_row() -> None:
    assert get_args(Format) == tuple(FORMATS)


@pytest.mark.parametrize(("name", "format"), FORMS)
def test_every_document_ends_with_a_newline_and_is_safe(name: str, format: str) -> None:
    text = render(DOCUMENTS[name], format, verbose=True)
    text.encode()
    assert text.endswith("\n")
    assert "\x1b" not in text


def test_options_of_text() -> None:
    assert "cudnn-too-old" in render(HEALTHY, "text", verbose=True)
    assert "cudnn-too-old" not in render(HEALTHY, "text")


def test_an_unknown_format_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match=r"Received the format 'yaml'. Expected one of text, json"):
        render(HEALTHY, "yaml")


@pytest.mark.parametrize(
    ("format", "unloaded"), [("json", {"rich", "jinja2"}), ("text", {"jinja2"})]
)
def test_a_format_loads_only_what_it_needs(format: str, unloaded: set[str]) -> None:
    script = (
        "import sys\n"
        "from fitguard.report.privacy.redaction import redact_here\n"
        "from fitguard.report.render import render\n"
        "from fitguard.schema.doctor import DoctorReport\n"
        f"render(redact_here(DoctorReport(ok=True)), {format!r})\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "msgspec" in done.stdout
    assert not unloaded & set(done.stdout.split())


def test_the_names_of_the_formats_cost_nothing() -> None:
    script = "import sys; from fitguard.report.render import Format; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "fitguard.report.render" in done.stdout.split()
    assert not {"msgspec", "rich", "jinja2"} & set(done.stdout.split())
