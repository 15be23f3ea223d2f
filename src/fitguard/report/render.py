"""The one door of this room: a document and a format in, a string out."""

from typing import TYPE_CHECKING, Literal, get_args

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:  # The command line reads Format before it knows that it needs a document.
    from fitguard.report.documents import Document

Format = Literal["text", "json", "markdown", "html", "sarif"]


def render(document: "Document", format: str, *, verbose: bool = False) -> str:
    """The document as one string, safe to print or to write as UTF-8.

    Private names are still in it: call `redaction.redacted` before. Colour is only in
    `text.print_document`, which takes a Console.

    Args:
        format: text, json, markdown, html or sarif.
        verbose: In text, also the checks that were not made and the probes that failed.

    Raises:
        UsageError: if the format is unknown, or the document has no such form.
    """
    # Each renderer is imported when it is needed: rich and jinja2 cost start-up time.
    if format == "json":
        from fitguard.report.json_document import to_json

        return to_json(document)
    if format == "text":
        from fitguard.report.text import to_text

        return to_text(document, verbose=verbose)
    if format == "markdown":
        from fitguard.report.markdown import to_markdown

        return to_markdown(document)
    if format == "html":
        from fitguard.report.html import page

        return page(document)
    if format == "sarif":
        from fitguard.report.sarif import to_sarif

        return to_sarif(document)
    raise UsageError(
        f"Received the format {format!r}. Expected one of {', '.join(get_args(Format))}."
    )
