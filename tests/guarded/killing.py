"""Kills of a training, or of its parent, at moments drawn at random."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import programs
from guarded.harness import GuardedRun, TrainingChild
from guarded.preloaded_disk import FAULTS, PreloadedDisk

STARTING_SECONDS = 6.0
"""Until the first step: import and tracing, on an idle machine."""
_TRAINING_SECONDS = 1.5
_STILL = 2
"""Places that a child may show before it has done a step: nothing yet, and where it goes on."""
_WRITTEN_SECONDS = 0.004
"""What a snapshot takes to be written, about."""
_PARENT_SHARE = 0.3
_FAULTY_SHARE = 0.4
_FAULTY_SECONDS = 1.5


def while_starting(child: TrainingChild, random: Random) -> bool:
    """Before any step, most of the time."""
    time.sleep(random.uniform(0, STARTING_SECONDS))
    return child.is_alive


def while_training(child: TrainingChild, random: Random) -> bool:
    """At any moment behind a first step: inside a step, an evaluation, or between two `fit`s."""
    delay, places = random.uniform(0, _TRAINING_SECONDS), set()

    def moves() -> bool:
        places.add(child.beat().place)
        return len(places) > _STILL

    if not child.wait_for(moves):
        return False
    time.sleep(delay)
    return child.is_alive


def while_writing(child: TrainingChild, random: Random) -> bool:
    """Inside the writing of a snapshot: the first, second, … one that is seen."""
    passed, delay = random.randrange(6), random.uniform(0, _WRITTEN_SECONDS)
    seen = set()

    def is_it() -> bool:
        seen.update(path.name for path in child.unwritten())
        return len(seen) > passed

    if not child.wait_for(is_it, look_seconds=0.0005):
        return False
    if random.random() < 0.5:
        time.sleep(delay)
    return child.is_alive


MOMENTS: dict[str, tuple[Callable[[TrainingChild, Random], bool], float]] = {
    "starting": (while_starting, 0.1),
    "training": (while_training, 0.5),
    "writing": (while_writing, 0.4),
}
"""With how often each is drawn."""


@dataclass
class Kills:
    """What was done to one run.

    Args:
        parents: Kills of the parent; the others are of the child.
        torn: Kills that left a half-written snapshot behind.
        moments: What each was aimed at, with the fault of the disk meanwhile.
    """

    count: int = 0
    parents: int = 0
    torn: int = 0
    moments: list[str] = field(default_factory=list)


class Killer:
    """Kills one run again and again; in between its disk may fail.

    Args:
        disk: Of the run; None for one that never fails.
    """

    def __init__(self, run: GuardedRun, random: Random, disk: PreloadedDisk | None = None) -> None:
        self.kills = Kills()
        self._run = run
        self._random = random
        self._disk = disk

    def kill(self, most: int) -> None:
        """Kill so many processes one after the other, as long as the run is not over."""
        number = 0
        while self.kills.count < most and (child := self._run.next_child(after=number)):
            number = child.number
            name, fault = self._draw_moment(), self._break_disk()
            came = MOMENTS[name][0](child, self._random)
            killed = came and self._kill_one(child)
            self._mend_disk()
            if not killed:
                break
            self.kills.moments.append(f"{name} {fault}".strip())

    def _draw_moment(self) -> str:
        weights = [weight for _, weight in MOMENTS.values()]
        return self._random.choices(list(MOMENTS), weights)[0]

    def _break_disk(self) -> str:
        # The first attempt shall have a journal to be resumed from.
        if self._disk is None or not self.kills.count or self._random.random() > _FAULTY_SHARE:
            return ""
        fault = self._random.choice(FAULTS)
        self._disk.fail(fault, self._random.uniform(0.02, 0.5))
        return fault

    def _mend_disk(self) -> None:
        if self._disk is not None:
            self._disk.mend()

    def _kill_one(self, child: TrainingChild) -> bool:
        """SIGKILL now; False where it had ended already."""
        if self._random.random() < _PARENT_SHARE:
            return self._kill_parent(child)
        if not child.signal(signal.SIGKILL):
            return False
        child.join()
        self._count(child)
        # The parent decides and starts again on the same disk.
        time.sleep(self._random.uniform(0, _FAULTY_SECONDS))
        return True

    def _kill_parent(self, child: TrainingChild) -> bool:
        if self._run.is_over:
            return False
        os.kill(self._run.parent, signal.SIGKILL)
        self._run.wait()
        child.join()
        self._count(child)
        self.kills.parents += 1
        self._mend_disk()
        self._run.start("--resume")
        return True

    def _count(self, child: TrainingChild) -> None:
        self.kills.count += 1
        # The next attempt clears what is left, but imports for a second before.
        self.kills.torn += bool(child.unwritten())


def find_orphans(folder: Path) -> list[str]:
    """The commands of processes whose environment names a folder."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            is_one = process.name.isdecimal() and programs.is_alive(int(process.name))
            if is_one and os.fsencode(folder) in (process / "environ").read_bytes():
                words = (process / "cmdline").read_bytes().split(b"\0")
                found.append(os.fsdecode(b" ".join(words)))
    return found
