"""The runs of a folder, one line each."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.run import RunState

RUNS_SCHEMA: Literal["fitguard/runs/1"] = "fitguard/runs/1"


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a list.

    Args:
        started: Seconds since 1970.
        seconds: From the first start to the end, pauses included.
        steps: Steps of the optimizer that are done and kept, of all `fit` calls.
        loss: The last that was logged; None where none was, or where it is no number.
        cause: Of the last attempt that failed; empty where none did.
        ended: How that attempt ended: `killed by SIGKILL`.
    """

    id: str
    state: RunState
    started: float
    seconds: float = 0.0
    attempts: int = 0
    steps: int = 0
    loss: float | None = None
    cause: str = ""
    ended: str = ""
    command: tuple[str, ...] = ()


class RunList(Document, frozen=True, kw_only=True):
    """All runs of a folder, the newest last.

    Args:
        unreadable: Folders in it that hold no run, and why.
    """

    schema: Literal["fitguard/runs/1"] = RUNS_SCHEMA
    folder: str
    runs: tuple[RunLine, ...] = ()
    unreadable: tuple[str, ...] = ()
