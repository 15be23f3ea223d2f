"""How far the training is: a few numbers in memory that parent and child share.

The child writes them at each step, at the cost of a microsecond; no signal, no thread and no system
call is needed, so it works from any thread and costs nothing to a training that goes well. The
parent leaves its wishes in the same place: the child looks at them between steps.
"""

import mmap
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fitguard.monitor.regular_files import open_regular, replace_file
from fitguard.schema.run import Place

Wish = Literal["none", "snapshot", "leave"]
_WISHES: tuple[Wish, ...] = get_args(Wish)
Phase = Literal["starting", "training", "evaluating", "idle", "snapshot"]
_PHASES: tuple[Phase, ...] = get_args(Phase)

_CHILD = struct.Struct("=Q8xqqqqqq")
"""Beats, 8 bytes unused, phase, fit, epoch, step, total steps, steps in the newest snapshot."""
_WISH_AT = 256
_SIZE = 4096


@dataclass(frozen=True)
class Beat:
    """What the child wrote last.

    Args:
        count: Beats so far; one that stays the same means that nothing moved.
        saved_steps: Steps of this `fit` in the newest snapshot that is on the disk.
    """

    count: int
    phase: Phase
    place: Place
    saved_steps: int


class Heartbeat:
    """The shared numbers.

    Args:
        path: Made and emptied by the parent before each attempt (`create=True`).
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            replace_file(path, bytes(_SIZE))
        with os.fdopen(open_regular(path, os.O_RDWR), "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _SIZE)
        self._count = 0
        self._saved = 0
        self._last = (0, 0, 0, 0, 0)

    def beat(self, phase: Phase, fit: int, epoch: int, step: int, total_steps: int) -> None:
        """Called by the child at each step."""
        self._last = (_PHASES.index(phase), fit, epoch, step, total_steps)
        self._write()

    def note_alive(self) -> None:
        """Called by the child where it is busy with the same step."""
        self._write()

    def note_saved(self, total_steps: int) -> None:
        """Called by the child when a snapshot is on the disk."""
        self._saved = total_steps

    def _write(self) -> None:
        self._count += 1
        _CHILD.pack_into(self._memory, 0, self._count, *self._last, self._saved)

    def read(self) -> Beat:
        """Called by the parent."""
        count, phase, fit, epoch, step, total, saved = _CHILD.unpack_from(self._memory, 0)
        return Beat(
            count=count,
            phase=_PHASES[phase] if 0 <= phase < len(_PHASES) else "starting",
            place=Place(fit=fit, epoch=epoch, step=step, total_steps=total),
            saved_steps=saved,
        )

    def wish(self, wish: Wish) -> None:
        """Called by the parent: `snapshot` to take one now, `leave` to take one and exit."""
        self._memory[_WISH_AT] = _WISHES.index(wish)

    def read_wish(self) -> Wish:
        """Called by the child between steps."""
        return _WISHES[self._memory[_WISH_AT]]

    def close(self) -> None:
        self._memory.close()
