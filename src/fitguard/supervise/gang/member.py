"""What a run does that is one worker of a gang."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from fitguard.monitor.gang_folder import GangFolder, RoundFolder
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import now
from fitguard.monitor.saved_place import Saved, read_saved
from fitguard.schema.gang import Ended, GangOrders, GangPlan, Members
from fitguard.schema.journal import (
    LEFT_AS_ASKED,
    LOST_START,
    AnyEvent,
    AttemptEnded,
    Decided,
    Orders,
)
from fitguard.schema.run import Place, Run, RunState
from fitguard.supervise.company import Company
from fitguard.supervise.departure import Departure
from fitguard.supervise.gang.calls import Caller
from fitguard.supervise.gang.cluster import TF_CONFIG, build_config
from fitguard.supervise.gang.gathering import Gathered, Gathering, tell_gone
from fitguard.supervise.gang.peers import Peers
from fitguard.supervise.gang.round_watch import RoundWatch
from fitguard.supervise.gang.rounds import (
    FINISHED,
    are_all_judged,
    find_culprit,
    have_all_finished,
    is_over,
    list_complete,
)
from fitguard.supervise.gang.saying import (
    describe_beginning,
    describe_culprit,
    describe_end,
    describe_larger,
    describe_others,
    describe_resume,
    describe_smaller,
    describe_stop,
    describe_useless,
)
from fitguard.supervise.live_attempt import Observation
from fitguard.supervise.options import GangPlace, RunOptions
from fitguard.supervise.outcomes import find_failure
from fitguard.supervise.pausing import Asked, Pause
from fitguard.supervise.postmortem import Postmortem
from fitguard.supervise.record import Record
from fitguard.words import cut_middle, one_line

if TYPE_CHECKING:
    from fitguard.supervise.deciding import Next

_LONGEST = 500
_LAST_EXIT_CODE = 255
_BROKEN_OFF = b"Collective ops is aborted by"
_LAST_BYTES = 16_384
_LOOK_SECONDS = 0.1
_PEERS_SECONDS = 1.0
_CULPRIT_SECONDS = 15.0
"""Until all others have told how it ended for them."""


class GangMember(Company):
    """This worker.

    Args:
        plan: What all have in common.
        record: Of this worker's run.
        say: Tells the user one line.
    """

    def __init__(
        self,
        folder: GangFolder,
        plan: GangPlan,
        place: GangPlace,
        options: RunOptions,
        record: Record,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(folder.find_worker(place.worker))
        self._folder = folder
        self._plan = plan
        self._place = place
        self._record = record
        self._quiet = options.quiet or (place.headed and place.worker > 0)
        self._say = say
        self._peers = Peers(folder, place.worker, place.workers)
        self._gathering = Gathering(
            folder, place, self._peers, say, patience_seconds=options.lease_seconds
        )
        self._caller = Caller()
        self._here: RoundFolder | None = None
        self._watch: RoundWatch | None = None
        self._members = tuple(range(place.workers))
        self._told: Ended | None = None

    def gather(self, orders: Orders, pause: Pause) -> Orders | Ended | Asked:
        """Also agree on where all begin, and on their addresses."""
        gathered = self._gathering.gather(self._here, pause, is_new=orders.attempt == 1)
        if isinstance(gathered, Ended) and gathered.stop:
            self._told = gathered
            self._say(describe_stop(gathered, self._folder.find_worker(gathered.worker)))
            # A file says it: 0, or what a system cuts down to 0, would say that all is well.
            is_code = 0 < gathered.exit_code <= _LAST_EXIT_CODE
            return gathered if is_code else msgspec.structs.replace(gathered, exit_code=1)
        if isinstance(gathered, str | Ended):
            return gathered
        return self._begin(gathered, orders)

    def _begin(self, gathered: Gathered, orders: Orders) -> Orders:
        worker, members = self._place.worker, gathered.members
        self._here, self._members = gathered.round, members.workers
        self._told = None
        self._caller = Caller(self._caller.ahead_seconds)
        is_full = len(self._members) == self._plan.workers
        given = self._place.config if is_full else ""
        self.environment = {TF_CONFIG: given or build_config(gathered.ready, worker)}
        address = next(one.address for one in gathered.ready if one.worker == worker)
        self._watch = RoundWatch(
            gathered.round, worker, self._members, self._peers, self._caller, address
        )
        self._tell_size(members, gathered.before, orders.attempt - 1)
        if not self._quiet:
            self._say(describe_beginning(self._plan, gathered.round.number, members))
            if useless := describe_useless(gathered.ready):
                self._say(useless)
        mine = GangOrders(
            round=gathered.round.number,
            worker=worker,
            workers=self._plan.workers,
            start=members.start,
            members=() if is_full else self._members,
        )
        return msgspec.structs.replace(orders, gang=mine)

    def _tell_size(self, members: Members, before: Members | None, attempt: int) -> None:
        """Say, and write down, who trains no more, or again."""
        earlier = before.workers if before is not None else range(self._plan.workers)
        gone = [one for one in earlier if one not in members.workers]
        back = [one for one in members.workers if one not in earlier]
        if not gone and not back:
            return
        text = describe_larger(members, back)
        if gone:
            text = describe_smaller(members, [self._peers.describe(one) for one in gone])
        self._say(text)
        self._record.add(
            Decided(
                time=now(),
                attempt=attempt,
                action="fewer-workers" if gone else "more-workers",
                text=text,
                changes_results=bool(gone),
            )
        )

    def wish(self, wish: Literal["snapshot", "leave"], heartbeat: Heartbeat) -> None:  # noqa: ARG002
        """Ask for a snapshot of all workers: from that of one alone nothing could go on."""
        if self._watch is not None:
            self._watch.want(wish)

    def look(self, heartbeat: Heartbeat, departure: Departure) -> None:
        if self._watch is not None:
            self._watch.look(heartbeat, departure, self._say)

    def note_exit(self, seen: Observation) -> None:
        """The others need not wait until it is known why."""
        if seen.exit_status.exit_code != 0:
            self._tell(outcome="ended", judged=False, left=self._has_left(seen))

    def _has_left(self, seen: Observation) -> bool:
        called = self._watch is not None and self._watch.is_leaving
        return called and seen.exit_status.exit_code == LEFT_AS_ASKED

    def judge(
        self,
        seen: Observation,
        postmortem: Postmortem,
        events: Sequence[AnyEvent],
        pause: Pause,
    ) -> Postmortem:
        """Tell the others how it ended, and find out whether one of them brought it about."""
        event = postmortem.event
        failed = find_failure(events, event.attempt)
        lost_start = failed is not None and failed.kind == LOST_START
        fallout = event.outcome == "followed" or event.fallout or _broke_off(seen, event)
        self._tell(
            outcome=event.outcome,
            fallout=fallout,
            left=self._has_left(seen),
            cause=event.cause,
            text=describe_end(event),
            error=failed.error if failed is not None else "",
        )
        if lost_start and failed is not None:
            return _turn_into_follower(postmortem, failed.error, "")
        if not fallout:
            return postmortem
        culprit = self._await_culprit(pause)
        if culprit is None and not self._has_left(seen):
            why = event.why or "No worker says why it ended."
            return _turn_into_follower(postmortem, why, "unknown")
        return _turn_into_follower(postmortem, describe_culprit(culprit), "")

    def _await_culprit(self, pause: Pause) -> Ended | None:
        """The worker that ended by itself, once that is known."""
        until = time.monotonic() + _CULPRIT_SECONDS
        while True:
            ended = self._read_ended()
            found = find_culprit(ended)
            if found or are_all_judged(ended, len(self._members)) or time.monotonic() > until:
                return found
            self._tell_gone(ended)
            if pause(_LOOK_SECONDS) is not None:
                return None

    def _read_ended(self) -> dict[int, Ended]:
        return self._here.read().ended if self._here is not None else {}

    def _tell_gone(self, ended: dict[int, Ended]) -> None:
        if self._here is not None:
            tell_gone(self._here, self._peers, {*self._members} - ended.keys())

    def follow(self, orders: Orders, postmortem: Postmortem) -> "Next | None":
        event = postmortem.event
        if event.outcome not in ("followed", FINISHED) or event.cause:
            return super().follow(orders, postmortem)
        # Loaded only now: a run without a fault needs none of the policy.
        from fitguard.supervise.deciding import Next

        culprit = find_culprit(self._read_ended())
        why = event.why or describe_others(culprit)
        following = msgspec.structs.replace(orders, attempt=orders.attempt + 1)
        text = f"{why} This worker waits for all to be ready again."
        return Next(action="restart", orders=following, text=text)

    def tell_decision(self, following: "Next") -> None:
        """Let the others know what comes next; where this one stops, all do."""
        is_own = self._told is not None and not self._told.fallout
        if is_own or following.stop:
            code, decision = following.exit_code, following.text
            self._tell_again(stop=following.stop, exit_code=code, decision=decision)

    def find_saved(self) -> Saved:
        complete = list_complete(self._peers.list_saved(self._members))
        return read_saved(self._own_folder.snapshots, complete) or Saved(Place(), end=False)

    def await_others(self, pause: Pause) -> Literal["finished"] | Asked | None:
        look_at = time.monotonic()
        while True:
            ended = self._read_ended()
            if have_all_finished(ended, len(self._members)):
                return FINISHED
            if is_over(ended):
                self._await_culprit(pause)
                return None
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + _PEERS_SECONDS
                self._tell_gone(ended)
            if (asked := pause(_LOOK_SECONDS)) is not None:
                return asked

    def describe_resume(self, run: Run) -> str:
        return describe_resume(self._place, run.command)

    def close(self, state: RunState, exit_code: int) -> None:
        """What the others know of this one may have to change."""
        told = self._told
        if told is not None and (told.worker != self._place.worker or told.stop):
            return
        if state == "stopped":
            self._tell_again(stop=True, exit_code=exit_code)
        elif state in ("preempted", "interrupted") and (told is None or told.outcome == FINISHED):
            self._tell(outcome=state)

    def _tell(
        self,
        *,
        outcome: str,
        judged: bool = True,
        fallout: bool = False,
        left: bool = False,
        cause: str = "",
        text: str = "",
        error: str = "",
    ) -> None:
        self._told = Ended(
            worker=self._place.worker,
            outcome=outcome,
            judged=judged,
            fallout=fallout,
            left=left,
            cause=cause,
            text=text,
            error=cut_middle(one_line(error), _LONGEST),
            time=time.time(),
        )
        self._write()

    def _tell_again(self, *, stop: bool, exit_code: int, decision: str = "") -> None:
        told = self._told or Ended(worker=self._place.worker, outcome="ended", time=time.time())
        self._told = msgspec.structs.replace(
            told, stop=stop, exit_code=exit_code, decision=decision, judged=True, fallout=False
        )
        self._write()

    def _write(self) -> None:
        if self._here is not None and self._told is not None:
            try:
                self._here.tell_ended(self._told)
            except OSError as error:
                self._say(f"{self._here.path} cannot be written: {error.strerror}.")


def _broke_off(seen: Observation, event: AttemptEnded) -> bool:
    """Whether what all do together broke off: whoever is to blame, all are asked first."""
    return event.outcome == "exception" and _BROKEN_OFF in seen.output[-_LAST_BYTES:]


def _turn_into_follower(postmortem: Postmortem, why: str, cause: str) -> Postmortem:
    event = msgspec.structs.replace(
        postmortem.event, outcome="followed", cause=cause, confidence=None, why=why
    )
    return postmortem._replace(event=event, found=None)
