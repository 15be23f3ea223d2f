"""Counts what was spotted, and keeps the first few places, whatever order they come in."""

from collections.abc import Callable, Iterable
from threading import Lock

from fitguard.schema.data import Place, Spotted

MOST_PLACES = 5


def _order(place: Place) -> tuple[int, tuple[int, ...]]:
    return place.sample, place.position


class Spots:
    """Values, or samples, of one kind; several threads may add to it."""

    def __init__(self) -> None:
        self._count = 0
        self._places: list[Place] = []
        self._lock = Lock()

    def add(self, count: int, earliest: int, places: Callable[[], Iterable[Place]]) -> None:
        """Add `count` of them, none before the sample `earliest`.

        Args:
            places: Gives the first few places; asked only where they may be among the first.
        """
        if not count:
            return
        with self._lock:
            self._count += count
            full = len(self._places) == MOST_PLACES
            if not full or earliest <= self._places[-1].sample:
                self._places = sorted([*self._places, *places()], key=_order)[:MOST_PLACES]

    def result(self) -> Spotted:
        """What was seen until now."""
        return Spotted(self._count, tuple(self._places))
