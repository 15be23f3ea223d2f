"""The loop of the fleet.

    look at the nodes ──> cards that came, cards that went
    hear the workers  ──> a training ended ──> finished, failed, or waits again
    decide            ──> who starts on which card, who leaves for another
    start, ask to leave
    tell

What is decided is decided in other files, without Ray and without a clock. What is lost when this
process dies: nothing. The actors end with it, the runs are in the storage.
"""

import time
from collections.abc import Callable, Sequence

from fitguard.fleet.holding import CardKey, Holder
from fitguard.fleet.launching import ask_to_leave, kill, launch
from fitguard.fleet.nodes import Nodes
from fitguard.fleet.records import read_records
from fitguard.fleet.standin import choose
from fitguard.fleet.trainings import Training
from fitguard.fleet.trainer import Ended
from fitguard.schema.fleet import Fleet, FleetJob
from fitguard.schema.journal import LEFT_AS_ASKED

_TICK_SECONDS = 0.2
_LOOK_SECONDS = 1.0
_LEAVE_SECONDS = 60.0


class Dispatcher:
    """Brings all trainings to their end.

    Args:
        nodes: Of the cluster.
        storage: Where the runs are.
        tell: Says one line to the user.
        is_asked: Whether all are to leave.
    """

    def __init__(
        self,
        jobs: Sequence[FleetJob],
        nodes: Nodes,
        storage: str,
        *,
        tell: Callable[[str], None],
        is_asked: Callable[[], bool],
    ) -> None:
        self.trainings = [Training(job, memory_bytes=job.memory_bytes) for job in jobs]
        self._nodes = nodes
        self._holder = Holder(nodes.find_card)
        self._storage = storage
        self._tell = tell
        self._is_asked = is_asked
        self._looked = 0.0

    def run(self) -> None:
        """Until all have ended, or have left as they were asked to."""
        try:
            self._recall()
            while any(one.is_open for one in self.trainings) and not self._is_asked():
                self._look()
                self._hear(_TICK_SECONDS)
                self._start()
            self._let_all_leave()
        finally:
            self._holder.drop_all()

    def describe(self, notes: Sequence[str]) -> Fleet:
        """The document of the fleet."""
        return Fleet(
            storage=self._storage,
            cards=tuple(card for _, card in self._nodes.list_cards()),
            trainings=tuple(one.describe(self._name_card) for one in self.trainings),
            notes=tuple(notes),
        )

    def _recall(self) -> None:
        """What an earlier fleet has finished is finished."""
        names = tuple(name for one in self.trainings for name in one.runs)
        records = read_records(self._storage, names)
        for one in self.trainings:
            if all(records[name].state == "finished" for name in one.runs):
                one.state = "finished"

    def _look(self) -> None:
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        _, gone, told = self._nodes.look()
        for text in told:
            self._tell(text)

    def _hear(self, seconds: float) -> None:
        import ray

        waited = {
            worker.answer: (one, worker)
            for one in self.trainings
            for worker in one.workers
            if worker.ended is None
        }
        if not waited:
            time.sleep(seconds)
            return
        ready, _ = ray.wait(list(waited), num_returns=len(waited), timeout=seconds)
        for answer in ready:
            one, worker = waited[answer]
            try:
                worker.ended = ray.get(answer)
            except ray.exceptions.RayError as error:
                worker.ended = f"its worker was lost: {type(error).__name__}"
            kill(worker.actor)
        for one in self.trainings:
            if one.has_ended:
                self._conclude(one)

    def _conclude(self, one: Training) -> None:
        ends = [worker.ended for worker in one.workers]
        asked = one.asked
        for key in one.stop():
            self._holder.give(key)
        last = next((end for end in ends if not isinstance(end, Ended) or end.exit_code), ends[0])
        if isinstance(last, Ended) and last.exit_code == 0:
            one.state = "finished"
            self._tell(f"{one.job.name} finished")
        elif not isinstance(last, Ended) or last.exit_code == LEFT_AS_ASKED:
            one.state = "waiting"
            one.not_before = time.monotonic() + 1
            self._tell(f"{one.job.name} {asked or last}")
        else:
            one.state = "failed"
            one.cause = last.record.cause
            one.why = last.record.why or last.said
            self._tell(f"{one.job.name} failed: {one.cause} {one.why}")

    def _start(self) -> None:
        waiting = [
            one
            for one in self.trainings
            if one.state == "waiting" and one.not_before <= time.monotonic()
        ]
        used: dict[CardKey, list[int]] = {}
        for one in self.trainings:
            for key in one.cards:
                used.setdefault(key, []).append(one.memory_bytes or 0)
        by_name = {one.job.name: one for one in waiting}
        for name, keys in choose(waiting, used, self._nodes.list_cards()).items():
            cards = [(key, self._nodes.find_card(key)) for key in keys]
            workers = launch(by_name[name], cards, self._holder, self._storage)
            if workers is not None:
                by_name[name].begin(workers)
                self._tell(f"{name} starts on {', '.join(map(self._name_card, keys))}")

    def _let_all_leave(self) -> None:
        for one in self.trainings:
            if one.state == "running":
                ask_to_leave(one, "left with a snapshot")
        end = time.monotonic() + _LEAVE_SECONDS
        while any(one.workers for one in self.trainings) and time.monotonic() < end:
            self._hear(_TICK_SECONDS)
        for one in self.trainings:
            if one.is_open:
                one.state = "left"

    def _name_card(self, key: CardKey) -> str:
        return f"{key.node}/{key.index}"
