"""What follows from what the workers have told: pure, so that all of them come to the same."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fitguard.schema.gang import Ended, Ready, SavedPlace

FINISHED: Final = "finished"
LOST: Final = "lost"
_CALLED_AWAY = ("preempted", "interrupted")


def list_complete(saved: Sequence[Iterable[SavedPlace]]) -> list[SavedPlace]:
    """The places of which all workers have a snapshot, the furthest on first.

    Args:
        saved: What each worker has.
    """
    if not saved:
        return []
    return sorted(set.intersection(*(set(places) for places in saved)), reverse=True)


def choose_start(ready: Iterable[Ready]) -> SavedPlace | None:
    """Where a round begins: at the newest complete set; None for the very beginning."""
    complete = list_complete([one.saved for one in ready])
    return complete[0] if complete else None


def is_over(ended: Mapping[int, Ended]) -> bool:
    """Whether nothing can come of a round any more."""
    return any(end.outcome != FINISHED for end in ended.values())


def is_left(ended: Mapping[int, Ended]) -> bool:
    """Whether all who are gone went with the snapshot that was called for."""
    return all(end.left for end in ended.values() if end.outcome != FINISHED)


def have_all_finished(ended: Mapping[int, Ended], workers: int) -> bool:
    """Whether all came to the end of the script."""
    return len(ended) == workers and not is_over(ended)


def find_stop(ended: Mapping[int, Ended]) -> Ended | None:
    """The worker that gave up, and so ends it for all; the first one of several."""
    stops = [end for end in ended.values() if end.stop]
    return min(stops, key=_get_moment, default=None)


def find_culprit(ended: Mapping[int, Ended]) -> Ended | None:
    """The worker whose own end ended the round; None where that is not known (yet).

    What failed counts before what was asked to leave. Of several the first counts, by the clocks of
    their hosts: for people, nothing depends on it.
    """
    own = [end for end in ended.values() if end.judged and not end.fallout and not _is_fine(end)]
    failed = [end for end in own if end.outcome not in _CALLED_AWAY]
    return min(failed or own, key=_get_moment, default=None)


def are_all_judged(ended: Mapping[int, Ended], workers: int) -> bool:
    """Whether there is nothing more to learn about why a round ended."""
    return len(ended) == workers and all(end.judged for end in ended.values())


def _is_fine(end: Ended) -> bool:
    return end.outcome == FINISHED


def _get_moment(end: Ended) -> tuple[float, int]:
    return (end.time, end.worker)
