"""The same kills against `fitguard run` and against Keras' BackupAndRestore in a loop.

    make bench
    .venv/bin/python bench/guard_survival.py --kills 8

Each attempt gets SIGKILL when it has done a number of steps that is drawn once and is the same for
all. *Repeated*: steps of the optimizer beyond those of an undisturbed run. *Off*: the norm of the
difference of the final weights from the undisturbed ones, as a part of their norm. *Unreadable*:
backups that a kill left broken, so that the training had to begin again. fitguard chooses itself
how often it saves.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from guard import trainings

SEED = 6
STEPS_AN_ATTEMPT = (55, 75)
"""More than an epoch, so that even one backup an epoch gets on."""
EVERY_STEPS = 10
_MOST_FAILURES = 3


@dataclass
class Outcome:
    """What a way to survive came to."""

    steps: int
    seconds: float
    off: float
    failures: int = 0


def main() -> None:
    """Train undisturbed, then kill in each way; exit with 1 where fitguard is not exact."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=8)
    kills = drawn(parser.parse_args().kills)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calm = undisturbed(folder)
        rows = {
            "fitguard run": survived(folder / "fitguard", kills, fitguard_run),
            "BackupAndRestore, each epoch": survived(folder / "epoch", kills, loop("epoch")),
            f"BackupAndRestore, {EVERY_STEPS} steps": survived(
                folder / "steps", kills, loop(str(EVERY_STEPS))
            ),
        }
    print(f"{len(kills)} kills with SIGKILL, after {kills} steps of the attempts (seed {SEED})")
    print(f"undisturbed: {calm.steps} steps, {calm.seconds:.0f} s")
    print(f"{'':30}{'repeated':>9}{'off':>10}{'time lost':>11}{'unreadable':>12}")
    for way, row in rows.items():
        print(
            f"{way:30}{row.steps - calm.steps:9}{row.off:10.1e}{row.seconds - calm.seconds:9.0f} s"
            f"{row.failures:12}"
        )
    sys.exit(rows["fitguard run"].off != 0)


def drawn(count: int) -> list[int]:
    """After how many steps each attempt is killed."""
    random = Random(SEED)
    return [random.randint(*STEPS_AN_ATTEMPT) for _ in range(count)]


def undisturbed(folder: Path) -> Outcome:
    """What the script gives plainly."""
    steps, out = folder / "calm.steps", folder / "calm.npz"
    taken = trainings.seconds(trainings.plain("survivor.py", out, steps), folder)
    return Outcome(steps.stat().st_size, taken, 0.0)


Way = Callable[[Path, Path, Path, list[int]], int]


def survived(folder: Path, kills: list[int], way: Way) -> Outcome:
    """Train in that way under these kills."""
    folder.mkdir()
    out, steps = folder / "out.npz", folder / "steps"
    steps.touch()
    began = time.perf_counter()
    failures = way(folder, out, steps, kills)
    taken = time.perf_counter() - began
    off = trainings.distance(folder.parent / "calm.npz", out)
    return Outcome(steps.stat().st_size, taken, off, failures)


def fitguard_run(folder: Path, out: Path, steps: Path, kills: list[int]) -> int:
    """One command; its child is killed."""
    process = trainings.started(trainings.guarded(folder, "survivor.py", out, steps), folder)
    for attempt, count in enumerate(kills, start=1):
        if not reached(steps, steps.stat().st_size + count, process):
            break
        os.kill(child_of(folder, attempt), signal.SIGKILL)
    if process.wait():
        raise SystemExit(f"fitguard run ended with {process.returncode}")
    return 0


def child_of(folder: Path, attempt: int) -> int:
    """The process that trains, from the journal of the run."""
    (journal,) = (folder / "runs").glob("*/journal.jsonl")
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    return next(
        event["pid"]
        for event in events
        if event["event"] == "attempt-started" and event["attempt"] == attempt
    )


def loop(every: str) -> Way:
    """A shell loop around the script: start it again until it ends well."""

    def way(folder: Path, out: Path, steps: Path, kills: list[int]) -> int:
        left, backup, failures = list(kills), folder / "backup", 0
        command = trainings.plain("survivor.py", out, steps, backup, every)
        while True:
            process = trainings.started(command, folder)
            if left and reached(steps, steps.stat().st_size + left[0], process):
                left.pop(0)
                process.kill()
            if process.wait() == 0:
                return failures
            if process.returncode > 0:
                # The backup is broken: all that a user can do is to begin again.
                shutil.rmtree(backup, ignore_errors=True)
                failures += 1
            if failures > _MOST_FAILURES:
                raise SystemExit(f"{' '.join(command)} fails again and again")

    return way


def reached(steps: Path, count: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until so many steps are done; False where the process ended before."""
    while process.poll() is None:
        if steps.stat().st_size >= count:
            return True
        time.sleep(0.002)
    return False


if __name__ == "__main__":
    main()
