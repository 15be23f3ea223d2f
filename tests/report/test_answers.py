"""Answers show themselves: `print` gives the text of the command, notebooks a page."""

import getpass

import msgspec
import pytest
from report.made_runs import SURVIVED
from report.samples import DOCUMENTS, HEALTHY

from fitguard.report.formats.text import to_text
from fitguard.report.privacy.redaction import redact_here
from fitguard.report.registry import ENTRIES, build_page, entry_of


@pytest.mark.parametrize("name", DOCUMENTS)
def test_str_is_the_text_of_the_command(name: str) -> None:
    document = DOCUMENTS[name]
    assert f"{document!s}\n" == to_text(redact_here(document), columns=100)
    assert "\x1b" not in str(document)


def test_private_names_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "annabel")
    mine = msgspec.structs.replace(SURVIVED, command=("train.py", "annabel"))
    assert "annabel" in repr(mine)
    assert "annabel" not in str(mine)
    assert "annabel" not in mine._repr_html_()


def test_a_notebook_shows_the_page() -> None:
    assert HEALTHY._repr_html_().startswith("<style>")
    assert "No problem found" in HEALTHY._repr_html_()


def test_every_row_of_the_registry_has_a_page_and_a_sample() -> None:
    shown = {entry_of(document).name: build_page(document) for document in DOCUMENTS.values()}
    assert set(shown) == {entry.name for entry in ENTRIES}
    assert all(page.title.startswith("fitguard ") for page in shown.values())


def test_a_schema_names_its_row() -> None:
    for entry in ENTRIES:
        (schema,) = (f for f in msgspec.structs.fields(entry.struct) if f.name == "schema")
        assert schema.default == entry.schema
