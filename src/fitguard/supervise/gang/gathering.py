"""How workers come together for a round.

find the newest round                                   over, or of an earlier life: take the next
write that this one is ready
wait until all are                                      one stops: all stop; one ends: next round
the first who sees that writes who trains               not this one: wait for the next round
"""

import contextlib
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fitguard.monitor.gang_folder import GangFolder, RoundFolder, RoundState
from fitguard.schema.gang import Ended, Members, Ready
from fitguard.supervise.gang.cluster import choose_address, name_network
from fitguard.supervise.gang.membership import Lacking, choose_members
from fitguard.supervise.gang.peers import Peers, list_places
from fitguard.supervise.gang.rounds import (
    FINISHED,
    LOST,
    find_stop,
    have_all_finished,
    is_over,
)
from fitguard.supervise.gang.saying import describe_outside, describe_outside_end
from fitguard.supervise.gang.waiting import Waiting
from fitguard.supervise.options import GangPlace
from fitguard.supervise.pausing import Asked, Pause

_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Gathered:
    """All who train are ready.

    Args:
        ready: What they have told.
        before: Who trained in the last round; None where there was none.
    """

    round: RoundFolder
    ready: tuple[Ready, ...]
    members: Members
    before: Members | None = None


class Gathering:
    """Brings this worker together with the others, round after round.

    Args:
        say: Tells the user one line.
        patience_seconds: After which it is said that somebody is waited for.
    """

    def __init__(
        self,
        folder: GangFolder,
        place: GangPlace,
        peers: Peers,
        say: Callable[[str], None],
        *,
        patience_seconds: float,
    ) -> None:
        self._folder = folder
        self._place = place
        self._peers = peers
        self._say = say
        self._patience_seconds = patience_seconds
        self._life = secrets.token_hex(8)
        self._joined: RoundFolder | None = None

    def gather(
        self, after: RoundFolder | None, pause: Pause, *, is_new: bool
    ) -> Gathered | Ended | Asked:
        """Wait until all are ready.

        Args:
            after: The round in which this worker trained last.
            is_new: It never trained: what a round says of it is of another run of its name.

        Returns:
            How the run ends instead: as another worker has ended it, or as the user asks. Where
            others do not come, it leaves like one that was asked to.
        """
        waiting = Waiting(self._peers, self._say, self._patience_seconds, self._place.seconds)
        while True:
            if after is not None and (stop := find_stop(after.read().ended)) is not None:
                return stop
            try:
                here = self._enter(after.number if after is not None else 0, is_new=is_new)
            except OSError as error:
                waiting.tell_problem(f"{self._folder.path} cannot be written: {error.strerror}")
                here = RoundState()
            if isinstance(here, Ended):
                return here
            waiting.look()
            if (gathered := self._settle(here, waiting)) is not None:
                return gathered
            asked = pause(_LOOK_SECONDS)
            if asked is None and waiting.is_in_vain():
                asked = "preempted"
            if asked is not None:
                self._leave(asked)
                return asked

    def _settle(self, here: RoundState, waiting: Waiting) -> Gathered | None:
        """The round, as soon as it is settled who trains in it, and this worker does."""
        joined, own, workers = self._joined, self._place.worker, self._place.workers
        if joined is None or own not in here.ready or is_over(here.ended):
            return None
        before = self._folder.find_members(joined.number, workers)
        members = here.members
        if members is None:
            chosen = choose_members(here.ready, waiting.list_gone(), before, workers)
            waiting.note(chosen if isinstance(chosen, Lacking) else Lacking())
            if isinstance(chosen, Members) and own in chosen.workers:
                with contextlib.suppress(OSError):
                    joined.settle(chosen)
                # Where another one was first, that counts: it may have seen it otherwise.
                members = joined.read_members()
        if members is None:
            return None
        if own not in members.workers:
            waiting.note(Lacking(members.workers))
            waiting.tell_once(describe_outside(members, joined.number, own))
            return None
        if not here.ready.keys() >= {*members.workers}:
            return None  # they are on their way, over a slow network
        known = tuple(here.ready[number] for number in members.workers)
        return Gathered(joined, known, members, before)

    def _enter(self, after: int, *, is_new: bool) -> RoundState | Ended:
        """Be ready in the newest round that is not over, and read what is told there."""
        own, workers = self._place.worker, self._place.workers
        newest = self._folder.find_round()
        here = self._folder.open_round(newest, workers)
        state = here.read() if newest else RoundState()
        members = state.list_members(workers)
        is_finished = have_all_finished(state.ended, len(members))
        if is_finished and not is_new:
            if own not in members:
                self._say(describe_outside_end(members))
            return Ended(worker=own, outcome=FINISHED)
        is_ours = self._joined is not None and self._joined.number == newest > after
        if is_ours and own not in members and (stop := find_stop(state.ended)) is not None:
            return stop
        if is_ours and not is_over(state.ended):
            # One that was ready, and is gone, will not begin.
            tell_gone(here, self._peers, {*members} & state.ready.keys() - state.ended.keys())
            return state
        is_open = newest > after and not is_finished and not is_over(state.ended)
        was_here = own in state.ready and own in members
        if was_here and is_open:
            # Of an earlier life of ours: who trains there waits for us in vain.
            here.tell_lost(_build_lost(own))
        number = newest if is_open and not was_here else newest + 1
        joined = self._folder.open_round(number, workers, create=True)
        joined.tell_ready(self._build_ready())
        self._joined = joined
        return joined.read()

    def _build_ready(self) -> Ready:
        given = self._place.address
        return Ready(
            worker=self._place.worker,
            life=self._life,
            host=socket.gethostname(),
            network=name_network(),
            address=given or choose_address(),
            given=bool(given),
            saved=tuple(sorted(list_places(self._folder, self._place.worker))),
            least=self._place.least,
        )

    def _leave(self, asked: Asked) -> None:
        if self._joined is not None:
            with contextlib.suppress(OSError):
                self._joined.tell_ended(
                    Ended(worker=self._place.worker, outcome=asked, time=time.time())
                )


def tell_gone(here: RoundFolder, peers: Peers, silent: Iterable[int]) -> None:
    """Write down for all who of these shows no sign of life any more."""
    peers.look()
    for worker in peers.list_gone(silent):
        with contextlib.suppress(OSError):
            here.tell_lost(_build_lost(worker))


def _build_lost(worker: int) -> Ended:
    text = "died together with the process that guards it"
    return Ended(worker=worker, outcome=LOST, text=text, time=time.time())
