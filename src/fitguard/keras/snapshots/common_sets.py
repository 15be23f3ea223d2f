"""Which snapshots a worker of a gang keeps: it goes on only from those that all workers have.

A set is the snapshots of all workers at one place; it is complete when each worker has its own. The
two newest complete sets stay, the second for a file that turns out to be torn, and all that may
become one. The ends of `fit` calls stay too: a call that has ended on one worker, and would be
trained again on another, would wait for it without end.
"""

from collections.abc import Iterator, Sequence

from fitguard.monitor.snapshot_names import NamedSnapshot
from fitguard.schema.gang import SavedPlace


def list_superseded(
    files: Sequence[NamedSnapshot], complete: Sequence[SavedPlace]
) -> Iterator[NamedSnapshot]:
    """Those that no restart needs.

    Args:
        files: The furthest on first.
        complete: Sets that are to stay.
    """
    oldest = min(complete, default=None)
    seen: set[SavedPlace] = set()
    for file in files:
        is_past = oldest is not None and not file.end and file.place < oldest
        if is_past or file.place in seen:
            yield file
        seen.add(file.place)


def list_spare(
    files: Sequence[NamedSnapshot], complete: Sequence[SavedPlace]
) -> list[NamedSnapshot]:
    """Those that go where the disk is full, first what is least far on: one complete set stays."""
    newest = max(complete, default=None)
    return [file for file in reversed(files) if not file.end and file.place != newest]


def find_lacking(files: Sequence[NamedSnapshot], start: SavedPlace) -> SavedPlace | None:
    """What is not there of all that is restored on the way to a place: ends, and itself."""
    here = {file.place for file in files}
    ends = [SavedPlace(fit, end=True) for fit in range(1, start.fit)]
    return next((place for place in [*ends, start] if place not in here), None)
