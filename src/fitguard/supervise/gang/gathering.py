"""How workers come together for a round.

find the newest round                                   over, or of an earlier life: take the next
write that this one is ready
wait until all are                                      one stops: all stop; one ends: next round
"""

import contextlib
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fitguard.monitor.gang_folder import GangFolder, RoundFolder, RoundState
from fitguard.schema.gang import Ended, Ready
from fitguard.supervise.gang.cluster import choose_address, name_network
from fitguard.supervise.gang.peers import Peers, list_places
from fitguard.supervise.gang.rounds import (
    FINISHED,
    LOST,
    find_stop,
    have_all_finished,
    is_over,
)
from fitguard.supervise.options import GangPlace
from fitguard.supervise.pausing import Asked, Pause
from fitguard.words import duration

_LOOK_SECONDS = 0.1
_PEERS_SECONDS = 1.0
_SAY_AGAIN_SECONDS = 300.0


@dataclass(frozen=True)
class Gathered:
    """All workers are ready."""

    round: RoundFolder
    ready: tuple[Ready, ...]


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
        waiting = _Waiting(self._peers, self._say, self._patience_seconds, self._place.seconds)
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
            missing = [one for one in range(self._place.workers) if one not in here.ready]
            if not missing and not is_over(here.ended) and self._joined is not None:
                known = tuple(here.ready[number] for number in sorted(here.ready))
                return Gathered(self._joined, known)
            waiting.look([one for one in missing if one != self._place.worker])
            asked = pause(_LOOK_SECONDS)
            if asked is None and waiting.is_in_vain:
                asked = "preempted"
            if asked is not None:
                self._leave(asked)
                return asked

    def _enter(self, after: int, *, is_new: bool) -> RoundState | Ended:
        """Be ready in the newest round that is not over, and read what is told there."""
        own, workers = self._place.worker, self._place.workers
        newest = self._folder.find_round()
        here = self._folder.open_round(newest, workers)
        state = here.read() if newest else RoundState()
        if have_all_finished(state.ended, workers) and not is_new:
            return Ended(worker=own, outcome=FINISHED)
        is_ours = self._joined is not None and self._joined.number == newest > after
        if is_ours and not is_over(state.ended):
            self._tell_gone(here, state)
            return state
        is_open = newest > after and len(state.ended) < workers and not is_over(state.ended)
        if own in state.ready and is_open:
            # Of an earlier life of ours: who trains there waits for us in vain.
            here.tell_lost(_build_lost(own))
        number = newest if is_open and own not in state.ready else newest + 1
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
        )

    def _tell_gone(self, here: RoundFolder, state: RoundState) -> None:
        """One that was ready, and is gone, will not begin."""
        self._peers.look()
        tell_gone(here, self._peers.list_gone(state.ready.keys() - state.ended.keys()))

    def _leave(self, asked: Asked) -> None:
        if self._joined is not None:
            with contextlib.suppress(OSError):
                self._joined.tell_ended(
                    Ended(worker=self._place.worker, outcome=asked, time=time.time())
                )


def tell_gone(here: RoundFolder, gone: Iterable[int]) -> None:
    """Write down for all who shows no sign of life any more."""
    for worker in gone:
        with contextlib.suppress(OSError):
            here.tell_lost(_build_lost(worker))


def _build_lost(worker: int) -> Ended:
    text = "died together with the process that guards it"
    return Ended(worker=worker, outcome=LOST, text=text, time=time.time())


class _Waiting:
    """Says who is waited for, and knows when that is in vain.

    Args:
        most_seconds: Without a sign of life from one that is missing.
    """

    def __init__(
        self,
        peers: Peers,
        say: Callable[[str], None],
        patience_seconds: float,
        most_seconds: float,
    ) -> None:
        self._peers = peers
        self._say = say
        self._most_seconds = most_seconds
        now = time.monotonic()
        self._look_at = now
        self._say_at = now + patience_seconds
        self._lonely_since = now
        self._problem = ""
        self._missing: list[int] = []

    def look(self, missing: list[int]) -> None:
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + _PEERS_SECONDS
        self._missing = missing
        self._peers.look()
        if all(self._peers.is_there(worker) for worker in missing):
            self._lonely_since = now
        if now >= self._say_at and missing:
            self._say_at = now + _SAY_AGAIN_SECONDS
            whom = "; ".join(self._peers.describe(worker) for worker in missing)
            self._say(f"waits for {whom}.")

    def tell_problem(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._say(f"{problem}. Trying again.")

    @property
    def is_in_vain(self) -> bool:
        if time.monotonic() - self._lonely_since < self._most_seconds:
            return False
        seconds = duration(self._most_seconds)
        whom = "; ".join(self._peers.describe(worker) for worker in self._missing)
        self._say(f"waited {seconds} for {whom}. It leaves, and can be resumed.")
        return True
