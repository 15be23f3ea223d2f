"""A training at one moment: what `fitguard watch` shows, and writes as a line of JSON."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.run import Place, RunAlert, RunDecision

WATCH_SCHEMA: Literal["fitguard/watch/1"] = "fitguard/watch/1"

WatchState = Literal["running", "finished", "stopped", "interrupted", "preempted", "lost", "ended"]
"""As a run has it; `ended`: a process without guard is gone, and nobody knows how it ended."""


class Watch(Document, frozen=True, kw_only=True):
    """One moment.

    Args:
        time: Seconds since 1970.
        id: Of the run; empty for a process that nobody guards.
        seconds: Since it was started, or that it took.
        pid: Of the training process; 0 where there is none.
        attempt: Its number, from 1; 0 before the first.
        phase: What the training process is doing: `training`, `evaluating`, `snapshot`, …
        place: How far it is; `epochs` and `steps_per_epoch` are of the `fit` that it is in.
        steps_per_second: Of the last half minute; None where that is not known.
        steps_left: Of that `fit`; None where that is not known, as `seconds_left`.
        measured: When `values` were measured; None where nothing was.
        values: By the names of `schema.metrics`: `allocator_bytes`, `gpu_power:0`.
        logs: The newest of each value that Keras logged; None where it is no number.
        alerts: Of this attempt.
        decisions: The newest few.
        output: The last lines that the training wrote.
        missing: What cannot be shown, and why.
    """

    schema: Literal["fitguard/watch/1"] = WATCH_SCHEMA
    time: float
    id: str = ""
    command: tuple[str, ...] = ()
    folder: str = ""
    state: WatchState
    started: float = 0.0
    seconds: float = 0.0
    pid: int = 0
    attempt: int = 0
    phase: str = ""
    place: Place = Place()
    epochs: int | None = None
    steps_per_epoch: int | None = None
    steps_per_second: float | None = None
    steps_left: int | None = None
    seconds_left: float | None = None
    measured: float | None = None
    values: dict[str, float] = msgspec.field(default_factory=dict)
    logs: dict[str, float | None] = msgspec.field(default_factory=dict)
    alerts: tuple[RunAlert, ...] = ()
    decisions: tuple[RunDecision, ...] = ()
    output: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
