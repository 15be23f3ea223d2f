"""Waiting for other workers: says for whom, and knows when that is in vain."""

import time
from collections.abc import Callable, Set

from fitguard.supervise.gang.membership import Lacking
from fitguard.supervise.gang.peers import Peers
from fitguard.supervise.gang.saying import describe_unwilling
from fitguard.words import duration

_PEERS_SECONDS = 1.0
_SAY_AGAIN_SECONDS = 300.0


class Waiting:
    """One time of waiting.

    Args:
        say: Tells the user one line.
        patience_seconds: After which it is said that somebody is waited for.
        most_seconds: Without a sign of life from one that is missing: it is gone for good then.
    """

    def __init__(
        self,
        peers: Peers,
        say: Callable[[str], None],
        patience_seconds: float,
        most_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._peers = peers
        self._say = say
        self._most_seconds = most_seconds
        self._clock = clock
        self._looked_at = self._since = now = clock()
        self._say_at = now + patience_seconds
        self._absent_seconds = dict.fromkeys(peers.others, 0.0)
        self._told: set[str] = set()
        self._lacking = Lacking()

    def look(self) -> None:
        """See who is alive, and say now and then what is in the way."""
        now = self._clock()
        passed = now - self._looked_at
        if passed < _PEERS_SECONDS:
            return
        self._looked_at = now
        self._peers.look()
        for worker, seconds in self._absent_seconds.items():
            # While this process itself stood still, nobody was missed.
            longer = seconds + min(passed, 2 * _PEERS_SECONDS)
            self._absent_seconds[worker] = 0.0 if self._peers.is_there(worker) else longer
        if now >= self._say_at and self._lacking != Lacking():
            self._say_at = now + _SAY_AGAIN_SECONDS
            self._say(f"waits{self._describe()}")

    def note(self, lacking: Lacking) -> None:
        """Take note of what is in the way."""
        self._lacking = lacking
        if lacking.missing:
            self._since = self._clock()

    def tell_problem(self, problem: str) -> None:
        self.tell_once(f"{problem}. Trying again.")

    def tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._say(text)

    def list_gone(self) -> Set[int]:
        """Those that gave no sign of life for so long that they are given up."""
        absent = self._absent_seconds.items()
        return {worker for worker, seconds in absent if seconds >= self._most_seconds}

    def is_in_vain(self) -> bool:
        """Whether to leave; that is said."""
        is_stuck = self._clock() - self._since >= self._most_seconds
        if self._lacking.missing:
            is_stuck = not self.list_gone().isdisjoint(self._lacking.missing)
        if is_stuck:
            seconds = duration(self._most_seconds)
            self._say(f"waited {seconds}{self._describe()} It leaves, and can be resumed.")
        return is_stuck

    def _describe(self) -> str:
        whom = "; ".join(map(self._peers.describe, self._lacking.missing)) or "the other workers"
        return f" for {whom}.{describe_unwilling(self._lacking.unwilling)}"
