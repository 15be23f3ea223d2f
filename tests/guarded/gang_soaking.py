"""A gang of real workers, harmed again and again: what came of it."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from guarded.killing import find_orphans
from guarded.real_gang import RealGang
from programs import LONGEST_SECONDS

from fitguard.schema.journal import INEXACT, FitBegan, Noted

_HANG_SECONDS = 15
_MOST_STEPS = 6
_LOOK_SECONDS = 0.15
_WATCH_SECONDS = 0.001
_WRITING_SHARE = 0.3


@dataclass
class GangRow:
    """All faults of one gang.

    Args:
        done: What was done, by name.
        writing: Faults while a snapshot was being written.
        longest_seconds: From a fault to the next step of the whole gang.
    """

    done: list[str] = field(default_factory=list)
    writing: int = 0
    longest_seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def soak_gang(
    gang: RealGang, wanted: list[dict[str, bytes]], faults: int, random: Random
) -> GangRow:
    """Harm a gang so many times while it trains; `wanted`: what it gives if nobody does."""
    row = GangRow()
    _start(gang)
    for _ in range(faults):
        if not _wait_for_steps(gang, random.randrange(1, _MOST_STEPS)):
            break
        row.writing += random.random() < _WRITING_SHARE and _wait_for_writing(gang)
        name = random.choice(list(HARMS))
        began, before = time.monotonic(), len(gang.begun(0))
        HARMS[name](gang, random)
        if not _wait_for_start(gang, before):
            row.faults.append(f"no step {LONGEST_SECONDS:.0f} s after {name}")
            break
        if len(gang.begun(0)) > before:
            row.done.append(name)
            row.longest_seconds = max(row.longest_seconds, time.monotonic() - began)
    if not row.faults:
        row.faults += _judge(gang, wanted)
    row.faults = [f"{gang.folder} {row.done}: {fault}" for fault in row.faults]
    return row


def _start(gang: RealGang, *options: str) -> None:
    gang.start("--lease-seconds=5", f"--hang-seconds={_HANG_SECONDS}", *options)


def _judge(gang: RealGang, wanted: list[dict[str, bytes]]) -> list[str]:
    if gang.ended() != 0:
        return [f"exit code {gang.head.returncode}: {gang.told.read_text()[-2000:]}"]
    found = []
    for worker, (mine, right) in enumerate(zip(gang.results(), wanted, strict=True)):
        other = [name for name in right if mine[name] != right[name]]
        said = [one.text for one in gang.events(worker, Noted) if one.kind == INEXACT]
        if other and not said:
            found.append(f"worker {worker} differs in {other}, and nobody said so")
    starts = [[one.place.total_steps for one in gang.events(w, FitBegan)] for w in gang.workers]
    if any(one != starts[0] for one in starts):
        found.append(f"workers began at different steps: {starts}")
    if orphans := find_orphans(gang.folder):
        found.append(f"orphans: {orphans}")
    return found


def _wait(reached: Callable[[], bool]) -> bool:
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        if reached():
            return True
        time.sleep(_LOOK_SECONDS)
    return False


def _wait_for_start(gang: RealGang, begun: int) -> bool:
    """Until all have begun once more and made a step, or it is over: it came too late."""

    def is_beyond() -> bool:
        return all(
            len(starts := gang.begun(worker)) > begun and gang.steps(worker) > starts[-1]
            for worker in gang.workers
        )

    return _wait(lambda: is_beyond() or gang.head.poll() is not None)


def _wait_for_steps(gang: RealGang, more: int) -> bool:
    """Until a set of snapshots is complete, and some steps behind it; False where it is over."""
    _wait(lambda: bool(gang.complete() and gang.begun(0)) or gang.head.poll() is not None)
    wanted = gang.steps() + more
    _wait(lambda: gang.steps() >= wanted or gang.head.poll() is not None)
    return gang.head.poll() is None


def _wait_for_writing(gang: RealGang) -> bool:
    """Whether a worker was seen to write a snapshot, within the next few."""
    end = time.monotonic() + 5
    folders = [gang.gang.find_worker(worker).snapshots for worker in gang.workers]
    while time.monotonic() < end:
        if any(list(folder.glob("*.part")) for folder in folders):
            return True
        time.sleep(_WATCH_SECONDS)
    return False


def _send(number: int, *pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _kill_child(gang: RealGang, random: Random) -> None:
    _send(signal.SIGKILL, gang.child(random.choice(gang.workers)))


def _kill_children(gang: RealGang, random: Random) -> None:
    some = random.sample(gang.workers, random.randrange(2, len(gang.workers) + 1))
    _send(signal.SIGKILL, *(gang.child(worker) for worker in some))


def _kill_guard(gang: RealGang, random: Random) -> None:
    _send(signal.SIGKILL, gang.guard(random.choice(gang.workers)))


def _stop_child(gang: RealGang, random: Random) -> None:
    _send(signal.SIGSTOP, gang.child(random.choice(gang.workers)))


def _get_stuck(gang: RealGang, random: Random) -> None:
    (gang.folder / f"stuck-{random.choice(gang.workers)}").touch()


def _kill_head(gang: RealGang, random: Random) -> None:  # noqa: ARG001
    gang.head.kill()
    _resume(gang)


def _end_head(gang: RealGang, random: Random) -> None:  # noqa: ARG001
    gang.head.terminate()
    _resume(gang)


def _kill_all(gang: RealGang, random: Random) -> None:  # noqa: ARG001
    everybody = [gang.child(worker) for worker in gang.workers]
    _send(signal.SIGKILL, gang.head.pid, *map(gang.guard, gang.workers), *everybody)
    _resume(gang)


def _resume(gang: RealGang) -> None:
    gang.head.wait()
    _wait(lambda: not find_orphans(gang.folder))
    _start(gang, "--resume")


HARMS: dict[str, Callable[[RealGang, Random], None]] = {
    "a worker killed": _kill_child,
    "several workers killed": _kill_children,
    "a guard killed": _kill_guard,
    "a worker stopped": _stop_child,
    "a worker stuck": _get_stuck,
    "the head killed": _kill_head,
    "the head ended": _end_head,
    "all killed": _kill_all,
}


def make_gang(folder: Path, kind: str, library: str, workers: int) -> RealGang:
    """Of one kind of model; steps slow enough to be hit."""
    folder.mkdir(parents=True)
    batch = {"BATCH": str(4 * workers), "KIND": kind, "STEP_SECONDS": "0.15"}
    return RealGang(folder, library, workers=workers, **batch)
