"""What parent and child of a run tell each other through the heartbeat, and how it is written."""

import struct
import zlib
from dataclasses import dataclass
from typing import Literal, get_args

from fitguard.schema.gang import SavedPlace
from fitguard.schema.run import Place

Wish = Literal["none", "snapshot", "leave"]
WISHES: tuple[Wish, ...] = get_args(Wish)
Phase = Literal["starting", "training", "evaluating", "idle", "snapshot"]
PHASES: tuple[Phase, ...] = get_args(Phase)

CHILD = struct.Struct("=Qqqqqqqqqq")
"""Beats, calls that answer, phase, fit, epoch, step, total steps, steps in the newest snapshot,
how often a common snapshot was asked for, steps of this `fit` that were taken in this process."""
_PLACE = struct.Struct("=qq??")
"""Fit, steps, end, leave; a checksum follows."""
_CHECKSUM = struct.Struct("=I")
MARKED_BYTES = _PLACE.size + _CHECKSUM.size


@dataclass(frozen=True)
class Beat:
    """What the child wrote last.

    Args:
        count: Beats so far; one that stays the same means that nothing moved.
        answering: How many calls train now that look for wishes, and take snapshots.
        saved_steps: Steps of this `fit` in the newest snapshot that is on the disk.
        asks_call: How often it asked for a snapshot of all workers.
        steps_here: Of this `fit`, that were taken in this process: not those before a restart.
    """

    count: int
    answering: int
    phase: Phase
    place: Place
    saved_steps: int
    asks_call: int = 0
    steps_here: int = 0


@dataclass(frozen=True)
class Call:
    """What all workers of a gang are told before they get there.

    Args:
        place: Where each takes a snapshot.
        leave: Each leaves once that is on the disk.
    """

    place: SavedPlace
    leave: bool = False


def parse_beat(content: bytes) -> Beat:
    """What the child wrote."""
    count, answering, phase, fit, epoch, step, total, saved, asked, here = CHILD.unpack(content)
    return Beat(
        count=count,
        answering=answering,
        phase=PHASES[phase] if 0 <= phase < len(PHASES) else "starting",
        place=Place(fit=fit, epoch=epoch, step=step, total_steps=total),
        saved_steps=saved,
        asks_call=asked,
        steps_here=here,
    )


def parse_wish(content: bytes) -> Wish:
    """What the parent wants; nothing where it has written nothing, or something else."""
    number = content[0] if content else 0
    return WISHES[number] if number < len(WISHES) else "none"


def pack_call(call: Call) -> bytes:
    """A call, and its checksum."""
    packed = _PLACE.pack(call.place.fit, call.place.steps, call.place.end, call.leave)
    return packed + _CHECKSUM.pack(zlib.crc32(packed))


def is_whole(marked: bytes) -> bool:
    """Whether it is not half written."""
    packed = marked[: _PLACE.size]
    return marked[_PLACE.size :] == _CHECKSUM.pack(zlib.crc32(packed))


def parse_call(marked: bytes) -> Call | None:
    """None where nothing was called."""
    if not any(marked):
        return None
    fit, steps, end, leave = _PLACE.unpack_from(marked)
    return Call(SavedPlace(fit, steps, end), leave)
