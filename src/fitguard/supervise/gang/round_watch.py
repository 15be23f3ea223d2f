"""Looks at a round while this worker trains in it: is it over, where are snapshots taken?"""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Literal

from fitguard.monitor.beats import Beat
from fitguard.monitor.gang_folder import RoundFolder, RoundState
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.gang import Called, SavedPlace, Wanted
from fitguard.supervise.departure import Departure
from fitguard.supervise.gang.calls import Caller
from fitguard.supervise.gang.cluster import is_listened_to
from fitguard.supervise.gang.gathering import tell_gone
from fitguard.supervise.gang.peers import Peers
from fitguard.supervise.gang.rounds import is_left, is_over, list_complete

_LOOK_SECONDS = 0.1
_PEERS_SECONDS = 1.0


class RoundWatch:
    """Keeps watch over one round.

    Args:
        members: The workers that train in it; the first of them says where snapshots are taken.
        address: Where the training of this worker is to be reached.
        caller: Of all rounds: it learns.

    Attributes:
        is_leaving: All were called to leave.
    """

    def __init__(
        self,
        here: RoundFolder,
        worker: int,
        members: Sequence[int],
        peers: Peers,
        caller: Caller,
        address: str,
    ) -> None:
        self._here = here
        self._worker = worker
        self._members = members
        self._peers = peers
        self._caller = caller
        self._address = address
        self._look_at = self._peers_at = time.monotonic()
        self._wants = 0
        self._called = 0
        self._missed = 0
        self._complete: list[SavedPlace] = []
        self._is_checked = False
        self.is_leaving = False

    def want(self, want: Literal["snapshot", "leave"]) -> None:
        """Ask for a snapshot of all."""
        self._wants += 1
        wanted = Wanted(worker=self._worker, want=want, number=self._wants, missed=self._missed)
        with contextlib.suppress(OSError):
            self._here.want(wanted)

    def look(self, heartbeat: Heartbeat, departure: Departure, say: Callable[[str], None]) -> None:
        """Pass on what all are told, and end the training where it waits in vain."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + _LOOK_SECONDS
        state = self._here.read()
        beat = heartbeat.read()
        if now >= self._peers_at or self.is_leaving:
            self._peers_at = now + _PEERS_SECONDS
            self._look_at_peers(state, heartbeat)
        called = state.called
        if self._worker == self._members[0]:
            called = self._call(beat, state, now) or called
        self._pass_on(called, heartbeat, departure)
        self._check_strategy(beat, say)
        others = {number: end for number, end in state.ended.items() if number != self._worker}
        if is_over(others) and not (self.is_leaving and is_left(others)):
            departure.follow()

    def _look_at_peers(self, state: RoundState, heartbeat: Heartbeat) -> None:
        tell_gone(self._here, self._peers, {*self._members} - state.ended.keys())
        complete = list_complete(self._peers.list_saved(self._members))
        if complete and complete != self._complete:
            heartbeat.note_complete(complete[0])
        self._complete = complete

    def _call(self, beat: Beat, state: RoundState, now: float) -> Called | None:
        """What was told to all just now."""
        called = self._caller.look(beat, state.wanted, self._complete, now)
        if called is not None:
            with contextlib.suppress(OSError):
                self._here.call(called)
                return called
        return None

    def _pass_on(self, called: Called | None, heartbeat: Heartbeat, departure: Departure) -> None:
        if called is None or called.number <= self._called:
            return
        self._called = called.number
        heartbeat.call(called.place, leave=called.leave)
        if called.leave:
            self.is_leaving = True
            departure.note_called()
            # Read behind the call: a training that is before the place now will see it there.
            if _may_have_missed(heartbeat.read(), called.place):
                self._missed = called.number
                self.want("leave")

    def _check_strategy(self, beat: Beat, say: Callable[[str], None]) -> None:
        """What builds no MultiWorkerMirroredStrategy opens no port for the others."""
        if self._is_checked or beat.phase != "training" or not beat.place.total_steps:
            return
        self._is_checked = True
        if is_listened_to(self._address) is False:
            say(
                f"the script trains, but does not listen at {self._address}: it has built no "
                "tf.distribute.MultiWorkerMirroredStrategy. Each worker trains by itself, on all "
                "of the data, and their results are not joined."
            )


def _may_have_missed(beat: Beat, place: SavedPlace) -> bool:
    """Whether a training was at this place when it was called there; if it has just heard of it,
    another call does no harm."""
    return SavedPlace(beat.place.fit, beat.place.total_steps) >= place
