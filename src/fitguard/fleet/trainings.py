"""One training of the fleet while the fleet lives."""

import time
from dataclasses import dataclass, field
from typing import Any

from fitguard.fleet.holding import CardKey
from fitguard.fleet.records import name_runs
from fitguard.fleet.trainer import Ended
from fitguard.schema.fleet import FleetJob, FleetTraining, JobState


@dataclass
class Worker:
    """An actor that trains.

    Args:
        answer: Of Ray, for what `train` will return.
        ended: None while it trains; the text of an error where the actor was lost.
    """

    actor: Any
    answer: Any
    card: CardKey
    ended: Ended | str | None = None


@dataclass
class Training:
    """A job, where it is, and what came of it so far.

    Args:
        memory_bytes: That it may take of each card; None as long as it is not planned.
        takes_whole: It gets cards of its own: nobody knows what it needs.
        micro_batch: Rows of a micro-batch to begin with; None for the whole batch.
        not_before: When it may start again, on the clock of `time.monotonic`.
        asked: Why it was asked to leave; empty where it was not.
    """

    job: FleetJob
    state: JobState = "waiting"
    why: str = ""
    cause: str = ""
    memory_bytes: int | None = None
    takes_whole: bool = False
    micro_batch: int | None = None
    starts: int = 0
    not_before: float = 0.0
    asked: str = ""
    workers: list[Worker] = field(default_factory=list)
    seconds: float = 0.0
    began: float | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of its runs, one for each worker."""
        return name_runs(self.job.name, self.job.workers)

    @property
    def is_open(self) -> bool:
        """Whether there is still something to do for it."""
        return self.state in ("waiting", "running")

    @property
    def cards(self) -> tuple[CardKey, ...]:
        """Where it is."""
        return tuple(worker.card for worker in self.workers)

    @property
    def has_ended(self) -> bool:
        """Whether it was started and none of its workers trains any more."""
        return bool(self.workers) and all(worker.ended is not None for worker in self.workers)

    def begin(self, workers: list[Worker]) -> None:
        """It trains on these cards now."""
        self.workers = workers
        self.state, self.why, self.asked = "running", "", ""
        self.starts += 1
        self.began = time.monotonic()

    def stop(self) -> tuple[CardKey, ...]:
        """It trains no more; the cards that it was on."""
        cards = self.cards
        if self.began is not None:
            self.seconds += time.monotonic() - self.began
        self.began = None
        self.workers = []
        return cards

    def describe(self, name_card: Any) -> FleetTraining:
        """As the document of the fleet has it."""
        since = 0.0 if self.began is None else time.monotonic() - self.began
        return FleetTraining(
            name=self.job.name,
            state=self.state,
            why=self.why,
            cause=self.cause,
            cards=tuple(name_card(card) for card in self.cards),
            memory_bytes=self.memory_bytes,
            priority=self.job.priority,
            starts=self.starts,
            run=self.runs[0] if self.starts or self.state == "finished" else "",
            seconds=self.seconds + since,
        )
