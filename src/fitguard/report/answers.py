"""What an answer shows of itself: the text of its command, or a page in a notebook."""

from fitguard.report.privacy.redaction import redact_here
from fitguard.report.registry import Document

COLUMNS = 100


def show_text(document: Document) -> str:
    """The text as a pipe would get it: no colors, and no newline at its end."""
    from fitguard.report.formats.text import to_text

    return to_text(redact_here(document), columns=COLUMNS).rstrip("\n")


def show_page(document: Document) -> str:
    """The page, as a fragment of a notebook."""
    from fitguard.report.formats.html import fragment

    return fragment(redact_here(document))
