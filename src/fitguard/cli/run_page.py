"""The page of a run, which lies in its folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.monitor.regular_files import replace_file

if TYPE_CHECKING:
    from fitguard.report.registry import Document

TrustFolder = Annotated[
    bool,
    Parameter(
        negative="",
        help="Use a run though others own its folder or may write to it. A run folder tells "
        "fitguard what to execute.",
    ),
]


def write_page(document: "Document", page: Path, *, show_private: bool) -> None:
    """Write the page of a run, or of all runs.

    Raises:
        OSError: where it cannot be written.
    """
    from fitguard.report.privacy.redaction import redact_here
    from fitguard.report.render import render

    shown = document if show_private else redact_here(document)
    replace_file(page, render(shown, "html").encode())
