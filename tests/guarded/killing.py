"""Kills of a training process at moments drawn at random."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from guarded.harness import TrainingChild

STARTING_SECONDS = 6.0
"""Until the first step: import and tracing, on an idle machine."""
_TRAINING_SECONDS = 1.5
_STILL = 2
"""Places that a child may show before it has done a step: nothing yet, and where it goes on."""
_WRITTEN_SECONDS = 0.004
"""What a snapshot takes to be written, about."""


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
        torn: Kills that left a half-written snapshot behind.
        moments: What each was aimed at.
    """

    count: int = 0
    torn: int = 0
    moments: list[str] = field(default_factory=list)


def kill_child(child: TrainingChild, kills: Kills) -> bool:
    """SIGKILL now; False where it had ended already."""
    if not child.signal(signal.SIGKILL):
        return False
    child.join()
    kills.count += 1
    # The next attempt clears what is left, but imports for a second before.
    kills.torn += bool(child.unwritten())
    return True


def kill_at_random(run, random: Random, most: int) -> Kills:
    """Kill so many attempts of a run one after the other, as long as it is not over."""
    kills, number = Kills(), 0
    names, weights = list(MOMENTS), [weight for _, weight in MOMENTS.values()]
    while kills.count < most and (child := run.next_child(after=number)):
        number = child.number
        name = random.choices(names, weights)[0]
        came = MOMENTS[name][0](child, random)
        if not came or not kill_child(child, kills):
            break
        kills.moments.append(name)
    return kills
