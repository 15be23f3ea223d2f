"""How long to wait before a storage is tried again."""

from collections.abc import Iterator

_SHORTEST_SECONDS, _LONGEST_SECONDS = 1.0, 60.0


def grow_pauses() -> Iterator[float]:
    """Seconds before the next try, without an end."""
    seconds = _SHORTEST_SECONDS
    while True:
        yield seconds
        seconds = min(2 * seconds, _LONGEST_SECONDS)
