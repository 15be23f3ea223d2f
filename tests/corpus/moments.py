"""When a training is killed: from inside, by a real SIGKILL, at a call of Keras or of `open`.

`watch` is for the training process; all else draws moments for it.
"""

import contextlib
import functools
import itertools
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

EVENTS = tuple(
    f"on_{what}_{when}"
    for what in ("train", "epoch", "train_batch", "test", "test_batch", "predict")
    for when in ("begin", "end")
)
"""Of `keras.callbacks.CallbackList`."""
_IN_THE_MIDDLE = 0.75
_LONGEST_WAIT_SECONDS = 10
_WRITING = os.O_WRONLY | os.O_RDWR


@dataclass(frozen=True)
class Moment:
    """When to kill.

    Args:
        kind: `event` (a call of the callbacks), `write` (a file is opened for writing), `time`.
        number: Of the event or the write, from 1, of this attempt.
        where: `before`, `inside` or `after` what the callbacks do; `inside` is behind half of them.
        seconds: Behind the start, for `time`.
    """

    kind: str
    number: int = 0
    where: str = "before"
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.kind == "time":
            return f"after {self.seconds:.2f} s"
        return f"{self.where} {self.kind} {self.number}"


@dataclass(frozen=True)
class Event:
    """One line of what a training process did."""

    time: float
    name: str


def watch(log: Path, moment: Moment | None, keras: Any) -> None:
    """Write each event into `log`; kill this process when its moment comes.

    Once steps were taken, that is when there is a snapshot, however slow the disk is: without one,
    a script that goes on by itself does only that, and says so.
    """
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)
    numbers, owner = itertools.count(1), os.getpid()

    seen: set[str] = set()

    def reached(number: int, where: str) -> bool:
        is_now = _is_at(moment, number, where)
        if is_now and "on_train_batch_end" in seen:
            _wait_for_snapshot(log.parent)
        return is_now

    def watched(name: str, original: Any) -> Any:
        @functools.wraps(original)
        def call(callbacks: Any, *args: Any, **kwargs: Any) -> Any:
            number = next(numbers)
            os.write(file, f"{time.time()} {name}\n".encode())
            if reached(number, "before"):
                die()
            if reached(number, "inside"):
                callbacks.callbacks = callbacks.callbacks[: (len(callbacks.callbacks) + 1) // 2]
                original(callbacks, *args, **kwargs)
                die()
            given = original(callbacks, *args, **kwargs)
            seen.add(name)
            if reached(number, "after"):
                die()
            return given

        return call

    for name in EVENTS:
        kind = keras.callbacks.CallbackList
        setattr(kind, name, watched(name, getattr(kind, name)))
    if moment is not None and moment.kind == "write":
        _die_at_write(moment.number, owner)


def _is_at(moment: Moment | None, number: int, where: str) -> bool:
    if moment is None or moment.kind != "event":
        return False
    return (moment.number, moment.where) == (number, where)


def _wait_for_snapshot(folder: Path) -> None:
    """Some trainings have none: those that are not guarded."""
    until = time.monotonic() + _LONGEST_WAIT_SECONDS
    while not any(folder.rglob("*.snapshot")) and time.monotonic() < until:
        time.sleep(0.01)


def _die_at_write(number: int, owner: int) -> None:
    numbers = itertools.count(1)

    def audit(event: str, given: tuple[Any, ...]) -> None:
        if event != "open" or os.getpid() != owner or not _is_written(*given):
            return
        if next(numbers) == number:
            die()

    sys.addaudithook(audit)


def _is_written(path: Any, _mode: Any, flags: Any) -> bool:
    known = isinstance(path, str) and isinstance(flags, int)
    return known and not path.startswith(("/dev", "/proc")) and bool(flags & _WRITING)


def die() -> None:
    """As the kernel's out-of-memory killer would have it."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def read_events(log: Path) -> list[Event]:
    """What `watch` wrote."""
    with contextlib.suppress(FileNotFoundError):
        lines = [line.split() for line in log.read_text().splitlines()]
        return [Event(float(when), name) for when, name in lines]
    return []


def draw_first(random: Random, events: list[Event], kills: int) -> Moment:
    """Some moment of the whole training: most often far from both ends, where much is at stake.

    Args:
        kills: How many the run shall have; the first then leaves room for the others.
    """
    if not events:
        return Moment("time", seconds=random.uniform(0, 1))
    where = random.choice(("before", "inside", "after"))
    if random.random() < _IN_THE_MIDDLE:
        number = random.uniform(0.25, 1 - 0.15 * kills) * len(events)
        return Moment("event", max(1, int(number)), where)
    name = random.choice(sorted({event.name for event in events}))
    number = random.choice([n for n, e in enumerate(events, start=1) if e.name == name])
    return Moment("event", number, where)


def draw_next(random: Random, left: int, seconds: float) -> Moment:
    """Some moment of an attempt that has about so many events before it."""
    kind = random.choices(("event", "write", "time"), (6, 2, 2))[0]
    if kind == "time":
        return Moment("time", seconds=random.uniform(0, max(seconds, 0.1)))
    return Moment(kind, random.randint(1, max(1, left)), random.choice(("before", "after")))


def as_order(moment: Moment | None) -> dict[str, Any] | None:
    """For JSON."""
    return asdict(moment) if moment is not None else None
