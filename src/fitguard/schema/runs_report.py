"""All runs of a folder, each with its attempts and what ended them."""

from typing import Literal

from fitguard.schema.document import Document
from fitguard.schema.run import Run

RUNS_REPORT_SCHEMA: Literal["fitguard/runs-report/1"] = "fitguard/runs-report/1"


class RunsReport(Document, frozen=True, kw_only=True):
    """What came of all runs of a folder.

    Args:
        runs: The newest last, without what was measured: losses, samples, marks of snapshots.
        unreadable: Folders in it that hold no run, and why.
    """

    schema: Literal["fitguard/runs-report/1"] = RUNS_REPORT_SCHEMA
    folder: str
    runs: tuple[Run, ...] = ()
    unreadable: tuple[str, ...] = ()
