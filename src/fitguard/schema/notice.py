"""What `fitguard run --notify` tells somebody who does not look: one document for each event."""

from typing import Literal

from fitguard.schema.document import Document
from fitguard.schema.finding import Severity
from fitguard.schema.run import Outcome, Place

NOTICE_SCHEMA: Literal["fitguard/notice/1"] = "fitguard/notice/1"

NoticeEvent = Literal["restart", "gave-up", "finished", "left", "alert"]
"""`restart`: an attempt ended, mostly because it died, and another one follows. `gave-up`: none
follows. `left`: it was asked to leave, and can be resumed. `alert`: it trains, but not for long, or
not well."""


class RunNotice(Document, frozen=True, kw_only=True):
    """What happened.

    Args:
        run: Id or name of the run.
        time: Seconds since 1970.
        attempt: Number of the attempt that it is about; 0 before the first.
        text: All of it in a few sentences.
        command: What trains, without secrets.
        outcome: How the attempt ended; None where it goes on.
        cause: As `fitguard explain` found it; `why` says how, `evidence` has the lines that prove
            it.
        action: What is done now; empty where nothing is.
        place: How far the training got.
        exit_code: Of the run, where it is over.
        code: Of the finding, for an alert; `FG410`.
        severity: Of the finding, for an alert.
    """

    schema: Literal["fitguard/notice/1"] = NOTICE_SCHEMA
    event: NoticeEvent
    run: str
    time: float
    attempt: int = 0
    text: str = ""
    command: tuple[str, ...] = ()
    outcome: Outcome | None = None
    cause: str = ""
    why: str = ""
    evidence: tuple[str, ...] = ()
    action: str = ""
    place: Place = Place()
    exit_code: int | None = None
    code: str = ""
    severity: Severity | None = None
