"""The last moment of a worker that was called to leave: its snapshot is on the disk, and it waits.

From the snapshot of one worker alone nothing can go on. Where another one heard of the call too
late, it is past that place, and all are called to a later one: who had gone by then would leave
nothing behind.
"""

import time
from collections.abc import Callable

from fitguard.monitor.heartbeat import OwnHeartbeat
from fitguard.schema.gang import SavedPlace

_LONGEST_SECONDS = 10.0
"""Who is asked to leave is killed soon, and a network file system may show files late."""
_LOOK_SECONDS = 0.02


def may_leave(
    heartbeat: OwnHeartbeat, saved: SavedPlace, clock: Callable[[], float] = time.monotonic
) -> bool:
    """Wait until all workers have this snapshot; False where all are called to another place.

    Who gets a signal itself has no time left.
    """
    call, until = heartbeat.read_call(), clock() + _LONGEST_SECONDS
    while clock() < until:
        complete = heartbeat.read_complete()
        if complete is not None and complete >= saved:
            return True
        if heartbeat.read_wish() == "leave":
            return True
        if heartbeat.read_call() != call:
            return False
        heartbeat.note_alive()
        time.sleep(_LOOK_SECONDS)
    return True
