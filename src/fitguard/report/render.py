"""The one door of this room: a document and a format in, a string out."""

import importlib
from typing import TYPE_CHECKING, Literal, NamedTuple

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:  # The command line reads Format before it knows that it needs a document.
    from fitguard.report.registry import Document

Format = Literal["text", "json", "markdown", "html", "sarif"]


class Form(NamedTuple):
    """How a format is made: a function of a module in `formats/`, and the ending of its files."""

    module: str
    function: str
    ending: str


FORMATS: dict[Format, Form] = {
    "text": Form("text", "to_text", ".txt"),
    "json": Form("json_text", "to_json", ".json"),
    "markdown": Form("markdown", "to_markdown", ".md"),
    "html": Form("html", "to_html", ".html"),
    "sarif": Form("sarif", "to_sarif", ".sarif"),
}
ENDINGS: dict[str, Format] = {form.ending: name for name, form in FORMATS.items()}


def render(document: "Document", format: str, *, verbose: bool = False) -> str:
    """The document as one string, safe to print or to write as UTF-8.

    Private names are still in it: call `redact_here` before. Colors are only in
    `formats.text.print_document`, which takes a Console.

    Args:
        format: text, json, markdown, html or sarif.
        verbose: In text, also what is folded on pages.

    Raises:
        UsageError: if the format is unknown, or the document has no such form.
    """
    form = FORMATS.get(format)  # type: ignore[call-overload]
    if form is None:
        raise UsageError(f"Received the format {format!r}. Expected one of {', '.join(FORMATS)}.")
    # Imported when it is needed: rich and jinja2 cost start-up time.
    module = importlib.import_module(f"fitguard.report.formats.{form.module}")
    options = {"verbose": True} if verbose and format == "text" else {}
    written: str = getattr(module, form.function)(document, **options)
    return written
