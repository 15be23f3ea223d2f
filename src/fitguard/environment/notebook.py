"""Documents that notebooks show as a page."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fitguard.report.documents import Document


class NotebookPage:
    """Adds the page to a document. Private names are taken out, as notebooks are shared."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from fitguard.report.html import fragment
        from fitguard.report.redaction import redacted

        return fragment(redacted(cast("Document", self)))
