"""The loop of the fleet.

    look at the nodes     ──> cards that came, cards that went
    hear the workers      ──> a training ended ──> finished, failed, or waits again
    hear what was planned ──> it waits in the line
    decide                ──> who starts on which card, who leaves for another, who is refused

What is decided is decided in other files, without Ray and without a clock. What is lost when this
process dies: nothing. The actors end with it, the runs are in the storage.
"""

import time
from collections.abc import Callable, Sequence

from fitguard.fleet.concluding import conclude, count_pause
from fitguard.fleet.expecting import Expecting
from fitguard.fleet.fleet_cards import FleetCards
from fitguard.fleet.hearing import Hearing
from fitguard.fleet.jobs import find_grace
from fitguard.fleet.launching import ask_to_leave, kill, launch
from fitguard.fleet.losses import say_loss
from fitguard.fleet.measuring import Measuring, apply_measured
from fitguard.fleet.packing import Packer
from fitguard.fleet.planning import Planning
from fitguard.fleet.records import RunRecord
from fitguard.fleet.refusing import find_other_command, find_refusals
from fitguard.fleet.retrying import Next
from fitguard.fleet.storage.opening import MarkedStorage
from fitguard.fleet.summing_up import Summary
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training, Worker
from fitguard.fleet.waiting_reasons import explain_waits
from fitguard.schema.fleet import Fleet, FleetJob
from fitguard.words import count, duration

_TICK_SECONDS = 0.2
_LEAVE_SECONDS = 120.0
_WITHIN_SECONDS = 90.0
"""After the grace that a job gives itself: for the last copy to the storage, and its end."""
_START_SECONDS = 15.0
"""Spent on starts before others are heard: Ray may need seconds for each card that it has not."""


class Dispatcher:
    """Brings all trainings to their end.

    Args:
        records: How the runs stand, which earlier fleets have left.
        cards: Of the cluster.
        storage: Where the runs are.
        tell: Says one line to the user.
        is_asked: Whether all are to leave.
    """

    def __init__(
        self,
        jobs: Sequence[FleetJob],
        records: dict[str, RunRecord],
        cards: FleetCards,
        packer: Packer,
        storage: MarkedStorage,
        *,
        tell: Callable[[str], None],
        is_asked: Callable[[], bool],
    ) -> None:
        self._trainings = {job.name: Training(job, memory_bytes=job.memory_bytes) for job in jobs}
        self._cards = cards
        self._packer = packer
        self._expecting = Expecting(jobs)
        self._planning = Planning(tell)
        self._measuring = Measuring(tell)
        self._hearing = Hearing(storage.name, tell)
        self._summary = Summary(tell)
        self._in_line: set[str] = set()
        self._storage = storage
        self._tell = tell
        self._is_asked = is_asked
        self._recall(records)

    def run(self, publish: Callable[[], None]) -> None:
        """Until all have ended, or have left as they were asked to.

        Args:
            publish: Shows the fleet to others, where it has changed.
        """
        while self._list("waiting", "running") and not self._is_asked():
            self._lose(self._cards.look())
            self._hear(_TICK_SECONDS)
            self._plan()
            self._line_up()
            self._start()
            self._make_room()
            self._measuring.look(self._list("running"), others_wait=self._packer.waiting > 0)
            self._hearing.look(self._list("running"))
            self._refuse()
            self._summary.say(self._trainings.values())
            publish()

    def leave(self, publish: Callable[[], None]) -> None:
        """Let all take a snapshot and leave; what does not leave in time is ended."""
        for one in self._list("running"):
            ask_to_leave(one, "was asked to leave")
        graces = (find_grace(one.job) or 0.0 for one in self._list("running"))
        end = time.monotonic() + max(_LEAVE_SECONDS, max(graces, default=0.0) + _WITHIN_SECONDS)
        while self._list("running") and time.monotonic() < end:
            self._lose(self._cards.look())
            self._hear(_TICK_SECONDS)
            publish()
        for one in self._list("waiting", "running"):
            one.state = "left"
            one.why = one.why or "it goes on when the fleet is started again"

    def describe(self, notes: Sequence[str], name: str) -> Fleet:
        """The document of the fleet."""
        waits = explain_waits(self._packer, self._cards.name)
        return Fleet(
            storage=self._storage.name,
            name=name,
            cards=self._cards.describe(),
            trainings=tuple(
                one.describe(self._cards.name, waits.get(one.name, ""))
                for one in self._trainings.values()
            ),
            notes=(*notes, *self._cards.notes),
        )

    def _list(self, *states: str) -> list[Training]:
        return [one for one in self._trainings.values() if one.state in states]

    def _recall(self, records: dict[str, RunRecord]) -> None:
        """What an earlier fleet has finished is finished, if it is the same training."""
        for one in self._trainings.values():
            if why_not := find_other_command(one, records):
                one.state, one.why = "refused", why_not
                self._tell(f"{one.name} is refused: {why_not}")
                continue
            if all(records[run].state == "finished" for run in one.runs):
                one.state = "finished"
            first = records[one.runs[0]]
            one.has_run = first.state is not None
            one.seconds = max(records[run].seconds for run in one.runs)
            one.kept, one.peak_bytes = first.kept, first.peak_bytes
            one.share_done = first.share_done
            self._note_time(one)
        done = len(self._list("finished"))
        if done:
            self._tell(f"finished before: {done} of {count(len(self._trainings), 'training')}.")

    def _lose(self, nodes: Sequence[str]) -> None:
        """These nodes are gone, and so is what ran there."""
        for one in self._list("running"):
            for worker in one.workers:
                if worker.card[0] in nodes and worker.ended is None:
                    self._end(one, worker, "its node is gone")
        self._settle()

    def _hear(self, seconds: float) -> None:
        import ray

        working = {
            worker.answer: (one, worker)
            for one in self._list("running")
            for worker in one.workers
            if worker.ended is None
        }
        if not working:
            time.sleep(seconds)
            return
        ray.wait(list(working), timeout=seconds)
        for answer in ray.wait(list(working), num_returns=len(working), timeout=0)[0]:
            one, worker = working[answer]
            try:
                self._end(one, worker, ray.get(answer))
            except ray.exceptions.RayError as error:
                self._end(one, worker, say_loss(error))
        self._settle()

    def _end(self, one: Training, worker: Worker, ended: Ended | str) -> None:
        worker.ended = ended
        kill(worker.actor)
        if isinstance(ended, Ended):
            self._hearing.note(one, ended.heard, has_ended=True)
        others_train = any(other.ended is None for other in one.workers)
        if others_train and not one.asked and (isinstance(ended, str) or ended.exit_code):
            ask_to_leave(one, "waits for one of its workers")

    def _settle(self) -> None:
        """What comes after trainings that have ended."""
        for one in self._list("running"):
            if not one.has_ended:
                continue
            cards, blind = one.cards, one.find_blind_nodes()
            following = conclude(one) if not blind else None
            one.stop()
            self._packer.release(one.name)
            self._cards.give(cards)
            for node, said in blind.items():
                why = said.rstrip(".") or f"{self._storage.name} is not there"
                self._cards.leave_node_out(node, why)
            if following is None:
                one.take_back()
                continue
            self._apply(one, following)
            changed = self._note_time(one)
            self._packer.retime({name: self._expecting.expect(name) for name in changed})
            self._cards.suspect(following.probe, one.cause, one.job.python)
        self._cards.forget_empty()

    def _apply(self, one: Training, following: Next) -> None:
        if following.action == "done":
            one.state, one.why = "finished", ""
            done = f"{len(self._list('finished')):,} of {len(self._trainings):,}"
            self._tell(f"{one.name} has finished after {duration(one.seconds)} ({done})")
        elif following.action == "give-up":
            one.state = "failed"
            self._tell(f"{one.name} has failed: {one.why}")
        else:
            one.state = "waiting"
            one.not_before = time.monotonic() + count_pause(following, one)
            self._tell(f"{one.name} waits again: {one.asked or one.why}")

    def _note_time(self, one: Training) -> Sequence[str]:
        """How long it has trained; gives those that are expected to take another time now."""
        self._expecting.note_done(one.name, one.share_done)
        if one.state != "finished" or not one.seconds:
            return ()
        return self._expecting.learn(one.name, one.seconds)

    def _plan(self) -> None:
        self._planning.hear()
        for one in self._list("waiting"):
            if not one.is_planned and self._cards.are_known:
                largest_bytes = self._cards.find_largest(one.job.cards)
                if largest_bytes:
                    self._planning.ask(one, largest_bytes, on_gpus=self._cards.have_gpus)
                else:
                    one.takes_whole = True  # there is no card that it could be planned for

    def _line_up(self) -> None:
        now = time.monotonic()
        for one in self._list("waiting"):
            if one.is_unknown and one.peak_bytes:
                self._measure(one)
            if one.is_planned and one.not_before <= now and one.name not in self._in_line:
                takes_seconds = self._expecting.expect(one.name)
                self._packer.add(one.ask(self._cards.list_ids(), takes_seconds))
                self._in_line.add(one.name)

    def _measure(self, one: Training) -> None:
        largest_bytes = self._cards.find_largest(one.job.cards)
        apply_measured(one, one.peak_bytes, largest_bytes, on_gpus=self._cards.have_gpus)

    def _start(self) -> None:
        until = time.monotonic() + _START_SECONDS
        for placement in self._packer.place():
            one = self._trainings[placement.name]
            self._in_line.discard(one.name)
            if self._is_asked() or time.monotonic() > until:
                self._packer.release(one.name)
                continue
            cards = [(key, self._cards.find(key)) for key in placement.cards]
            workers = launch(one, cards, self._cards.holder, self._storage)
            if isinstance(workers, tuple):
                self._packer.release(one.name)
                self._cards.set_busy(workers)
                continue
            one.memory_bytes = placement.memory_bytes
            one.begin(workers)
            again = f" (start {one.starts})" if one.starts > 1 else ""
            self._tell(f"{one.name} starts on {', '.join(map(self._cards.name, one.cards))}{again}")

    def _make_room(self) -> None:
        """The first in line may take the place of others with lower priority."""
        running = [one for one in self._list("running") if not one.asked]
        lowest = min((one.job.priority for one in running), default=0)
        first = self._packer.find_first()
        if running and first is not None and first.priority > lowest:
            for name in self._packer.choose_victims(first.name):
                why = f"leaves for {first.name}, which has priority {first.priority}"
                self._tell(f"{name} {why}")
                ask_to_leave(self._trainings[name], why)

    def _refuse(self) -> None:
        if not self._cards.are_settled:
            return
        planned = {one.name for one in self._list("waiting") if one.job.memory_bytes is None}
        for name, why in find_refusals(self._packer, self._cards, planned).items():
            self._packer.remove(name)
            self._in_line.discard(name)
            self._trainings[name].state, self._trainings[name].why = "refused", why
            self._tell(f"{name} is refused: {why}")
