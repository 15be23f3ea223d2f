"""The page of a run, which lies in its folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.monitor.regular_files import replace_file
from fitguard.monitor.run_folder import RunFolder

if TYPE_CHECKING:
    from fitguard.schema.run import Run

TrustFolder = Annotated[
    bool,
    Parameter(
        negative="",
        help="Use a run though others own its folder or may write to it. A run folder tells "
        "fitguard what to execute.",
    ),
]


def write_page(document: "Run", *, show_private: bool) -> Path:
    """Write the page; where it is.

    Raises:
        OSError: where it cannot be written.
    """
    from fitguard.report.privacy.redaction import redact_here
    from fitguard.report.render import render

    shown = document if show_private else redact_here(document)
    page = RunFolder(Path(document.folder)).report
    replace_file(page, render(shown, "html").encode())
    return page
