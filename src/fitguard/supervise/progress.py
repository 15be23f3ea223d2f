"""Whether a run gets anywhere, from attempt to attempt."""

from collections.abc import Sequence

import msgspec

from fitguard.monitor.attempt_events import order
from fitguard.schema.journal import Orders
from fitguard.supervise.past_attempts import PastAttempt

_HOUR_SECONDS = 3600.0


def find_last_progress(ends: Sequence[PastAttempt]) -> int:
    """Index of the last attempt that left more in snapshots than there was before it, else 0.

    It and those after it are the ones that died with the same left to do.
    """
    for index in range(len(ends) - 1, 0, -1):
        if order(ends[index].saved) > order(ends[index - 1].saved):
            return index
    return 0


def has_same_end(one: PastAttempt, other: PastAttempt) -> bool:
    """Whether two attempts with the same orders ended at the same step."""
    same_orders = _without_number(one.orders) == _without_number(other.orders)
    return same_orders and order(one.last) == order(other.last)


def count_recent_restarts(ends: Sequence[PastAttempt]) -> int:
    """How many attempts ended in the hour before the last one did; planned ends do not count."""
    begin = ends[-1].ended - _HOUR_SECONDS
    return sum(end.ended > begin and end.outcome != "planned" for end in ends)


def _without_number(orders: Orders) -> Orders:
    # Each round of a gang has a number of its own.
    return msgspec.structs.replace(orders, attempt=0, gang=None)
