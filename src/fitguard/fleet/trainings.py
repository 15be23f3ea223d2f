"""One training of the fleet while the fleet lives."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from fitguard.fleet.records import name_runs
from fitguard.fleet.requests import CardId, Request
from fitguard.fleet.retrying import TrainingEnd
from fitguard.fleet.trainer import Ended
from fitguard.monitor.attempt_events import order
from fitguard.schema.fleet import FleetJob, FleetTraining, JobState
from fitguard.schema.run import Place


@dataclass
class Worker:
    """An actor that trains.

    Args:
        answer: Of Ray, for what `train` will return.
        ended: None while it trains; why, where the actor was lost.
    """

    actor: Any
    answer: Any
    card: CardId
    ended: Ended | str | None = None


@dataclass
class Training:
    """A job, where it is, and what came of it so far.

    Args:
        memory_bytes: That it may take of each card; None as long as it is not planned.
        takes_whole: It gets cards of its own: nobody knows what it needs, or it needs more.
        is_unknown: It has them because it could not be planned, and was not measured yet.
        peak_bytes: That it had in use at most, as its record tells; 0 where that is not known.
        micro_batch: Rows of a micro-batch to begin with; None for the whole batch.
        avoid: Cards on which it failed; `avoid_nodes`: nodes of which no card will do.
        has_run: There is a folder of its run, as far as is known.
        not_before: When it may start again, on the clock of `time.monotonic`.
        asked: Why it was asked to leave; empty where it was not.
        trouble: Why its snapshots do not reach the storage; empty while they do.
        kept: How far its newest snapshot was when the fleet started.
        begins_from: The same of its last start; None as long as its actor has not told it.
        seconds: That it trained, in all its starts before this one, also those of earlier fleets.
        share_done: Of the whole, that is in its snapshots; 0 where that is not known.
        ends: Of all its starts so far.
    """

    job: FleetJob
    state: JobState = "waiting"
    why: str = ""
    cause: str = ""
    memory_bytes: int | None = None
    takes_whole: bool = False
    is_unknown: bool = False
    peak_bytes: int = 0
    micro_batch: int | None = None
    avoid: frozenset[CardId] = frozenset()
    avoid_nodes: frozenset[str] = frozenset()
    starts: int = 0
    has_run: bool = False
    not_before: float = 0.0
    asked: str = ""
    trouble: str = ""
    kept: Place = field(default_factory=Place)
    begins_from: Place | None = None
    share_done: float = 0.0
    ends: list[TrainingEnd] = field(default_factory=list)
    workers: list[Worker] = field(default_factory=list)
    seconds: float = 0.0
    began: float | None = None

    @property
    def name(self) -> str:
        return self.job.name

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of its runs, one for each worker."""
        return name_runs(self.job.name, self.job.workers)

    @property
    def is_planned(self) -> bool:
        """Whether it is known what to ask of a card."""
        return self.takes_whole or self.memory_bytes is not None

    @property
    def cards(self) -> tuple[CardId, ...]:
        """Where it is."""
        return tuple(worker.card for worker in self.workers)

    @property
    def has_ended(self) -> bool:
        """Whether it was started and none of its workers trains any more."""
        return bool(self.workers) and all(worker.ended is not None for worker in self.workers)

    def ask(self, cards: Iterable[CardId], takes_seconds: float | None = None) -> Request:
        """What it asks of the packer.

        Args:
            cards: All that there are.
            takes_seconds: That it is expected to train.
        """
        of_nodes = {card for card in cards if card[0] in self.avoid_nodes}
        return Request(
            name=self.name,
            memory_bytes=self.memory_bytes or 0,
            priority=self.job.priority,
            workers=self.job.workers,
            cards=self.job.cards,
            whole_card=self.takes_whole,
            avoid=self.avoid | of_nodes,
            takes_seconds=takes_seconds,
        )

    def begin(self, workers: list[Worker]) -> None:
        """It trains on these cards now."""
        self.workers = workers
        self.state, self.why, self.asked, self.trouble = "running", "", "", ""
        self.begins_from = None
        self.starts += 1
        self.began = time.monotonic()

    def note_beginning(self, place: Place) -> None:
        """So far its snapshots were when it began: a lost start has told nothing of them."""
        self.begins_from = place
        if self.ends and order(place) > order(self.ends[-1].kept):
            self.ends[-1] = msgspec.structs.replace(self.ends[-1], kept=place)

    def find_blind_nodes(self) -> dict[str, str]:
        """Nodes on which it was not begun, because the storage is not there, and what was said."""
        ends = [(worker.card[0], worker.ended) for worker in self.workers]
        return {
            node: end.last_line
            for node, end in ends
            if isinstance(end, Ended) and end.without_storage
        }

    def take_back(self) -> None:
        """It was not begun after all, and waits as it did."""
        self.state = "waiting"
        self.starts -= 1

    def stop(self) -> None:
        """It trains no more."""
        ends = [worker.ended for worker in self.workers]
        self.has_run = self.has_run or not all(map(_was_refused, ends))
        told = max((end.record.seconds for end in ends if isinstance(end, Ended)), default=0.0)
        self.seconds = told or self.seconds + self._count_since()
        self.workers, self.began = [], None

    def describe(self, name_card: Callable[[CardId], str], waits_for: str) -> FleetTraining:
        """As the document of the fleet has it.

        Args:
            waits_for: What it does, where it waits.
        """
        return FleetTraining(
            name=self.name,
            state=self.state,
            why="; ".join(filter(None, (self._explain(waits_for), self.trouble))),
            cause=self.cause,
            cards=tuple(map(name_card, self.cards)),
            memory_bytes=self.memory_bytes,
            priority=self.job.priority,
            starts=self.starts,
            run=self.runs[0] if self.has_run or self.workers else "",
            seconds=self.seconds + self._count_since(),
        )

    def _count_since(self) -> float:
        """Seconds since it was started; 0 where it does not train."""
        return 0.0 if self.began is None else time.monotonic() - self.began

    def _explain(self, waits_for: str) -> str:
        if self.state == "waiting":
            return self._say_wait(waits_for)
        if self.state != "running":
            return self.why
        if self.asked:
            return self.asked
        if self.is_unknown:
            return "it could not be planned: it has a whole card until it was measured"
        return "it has a whole card" if self.takes_whole else ""

    def _say_wait(self, waits_for: str) -> str:
        before = self.asked or self.why
        if not waits_for:
            waits_for = "starts again soon" if self.is_planned else "its memory is planned"
        return f"{waits_for}; before: {before}" if before else waits_for


def _was_refused(end: Ended | str | None) -> bool:
    """Whether `fitguard run` did not even begin it: then there is no folder of a run."""
    return isinstance(end, Ended) and end.record.state is None
