"""Trainings that could not be planned: what one takes is measured while it trains.

It begins on a whole card. Once it has kept a whole epoch, with the first validation behind it, the
record of its run tells the most that TensorFlow's allocator had in use. If others wait then, it
leaves with a snapshot, and goes on with that much of a card and some more.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from fitguard.fleet.launching import ask_to_leave
from fitguard.fleet.limiting import count_footprint
from fitguard.fleet.trainings import Training
from fitguard.words import size

_EVERY_SECONDS = 5.0
_ROOM = 1.25
"""Of the peak: later epochs may need more, and pieces of memory are left over between others."""
_WORTH = 0.9
"""Of a card: who needs more than that keeps the whole one."""


class Measuring:
    """Asks those that nobody knows, and lets them leave for a part of a card.

    Args:
        tell: Says one line to the user.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._asked: dict[str, Any] = {}
        self._when = 0.0

    def look(self, running: Iterable[Training], *, others_wait: bool) -> None:
        """Ask now and then, and hear what was answered."""
        unknown = {one.name: one for one in running if one.is_unknown and not one.asked}
        self._hear(unknown)
        if others_wait and time.monotonic() - self._when > _EVERY_SECONDS:
            self._when = time.monotonic()
            for name in unknown.keys() - self._asked.keys():
                self._asked[name] = unknown[name].workers[0].actor.measure.remote()

    def _hear(self, unknown: dict[str, Training]) -> None:
        import ray

        for name, promise in list(self._asked.items()):
            if name in unknown and not ray.wait([promise], timeout=0)[0]:
                continue
            del self._asked[name]
            if name not in unknown:
                continue
            try:
                peak_bytes = ray.get(promise)
            except ray.exceptions.RayError:
                continue  # the end of its actor is heard elsewhere
            if peak_bytes:
                self._tell(f"{name} was measured: it had {size(peak_bytes)} in use at most")
                ask_to_leave(unknown[name], "leaves room for others, because it was measured")


def apply_measured(one: Training, peak_bytes: int, card_bytes: int, *, on_gpus: bool) -> None:
    """Let one that nobody knew ask for what it took, if that leaves something to others.

    Args:
        peak_bytes: In use at most; 0 where that is not known either.
        card_bytes: Memory of the largest card that it may use.
    """
    if not (one.is_unknown and peak_bytes):
        return
    one.is_unknown = False
    pool_bytes = int(peak_bytes * _ROOM)
    need_bytes = count_footprint(pool_bytes) if on_gpus else pool_bytes
    if need_bytes <= card_bytes * _WORTH:
        one.takes_whole, one.memory_bytes = False, need_bytes
