"""`fitguard run --workers` as a process, with real TensorFlow; and the same workers without it."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import programs
from guarded.harness import SCRIPTS, environment_in
from programs import wait_for

from fitguard.clean_start import words_to_run
from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.heartbeat import read_beat
from fitguard.monitor.journal import Journal
from fitguard.schema.gang import SavedPlace
from fitguard.schema.journal import AttemptEnded, AttemptStarted, FitBegan, RunEnded
from fitguard.supervise.gang.peers import list_places
from fitguard.supervise.gang.rounds import list_complete

SCRIPT = SCRIPTS / "gang.py"
OUT = "out-{worker}.npz"
WORKERS = (0, 1)


class RealGang:
    """One training of several workers, and its head.

    Args:
        words: Of the script, behind the file of results.
        workers: How many.
    """

    def __init__(self, folder: Path, *words: str, workers: int = 2, **environment: str) -> None:
        self.folder = folder
        self.workers = range(workers)
        self._words = [str(SCRIPT), OUT, *words]
        self._environment = environment_in(folder, **environment)
        self.gang = GangFolder(folder / "fitguard-runs", "g")
        self.told = folder / "told.txt"

    def start(self, *options: str) -> subprocess.Popen:
        own = [sys.executable, *words_to_run("fitguard"), "run", "--name", "g"]
        own += [f"--workers={len(self.workers)}", "--snapshot-seconds=0.5"]
        with self.told.open("ab") as told:
            self.head = programs.start(
                [*own, *options, *self._words],
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=self._environment,
            )
        return self.head

    def train_plainly(self) -> None:
        """The same workers without fitguard."""
        addresses = [f"127.0.0.1:{_find_port()}" for _ in self.workers]
        started = []
        for worker in self.workers:
            config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": worker}}
            started.append(
                programs.start(
                    [sys.executable, *self._words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=self.folder,
                    env={**self._environment, "TF_CONFIG": json.dumps(config)},
                )
            )
        assert [process.wait(programs.LONGEST_SECONDS) for process in started] == [0] * len(started)

    def results(self) -> list[dict[str, bytes]]:
        """What each worker has saved."""
        found = [np.load(self.folder / OUT.format(worker=worker)) for worker in self.workers]
        return [{name: array.tobytes() for name, array in one.items()} for one in found]

    def ended(self) -> int:
        return self.head.wait(programs.LONGEST_SECONDS)

    def events(self, worker: int, kind: type) -> list:
        try:
            events = Journal(self.gang.find_worker(worker).journal).read()
        except OSError:
            return []
        return [event for event in events if isinstance(event, kind)]

    def child(self, worker: int) -> int:
        return self.events(worker, AttemptStarted)[-1].pid

    def guard(self, worker: int) -> int:
        """The number of the process that guards it."""
        return self.events(worker, AttemptStarted)[-1].orders.parent

    def outcomes(self, worker: int) -> list[str]:
        return [event.outcome for event in self.events(worker, AttemptEnded)]

    def begun(self, worker: int) -> list[int]:
        return [event.place.total_steps for event in self.events(worker, FitBegan)]

    def codes(self) -> list[int]:
        """Of the workers that have ended."""
        return [
            event.exit_code for worker in self.workers for event in self.events(worker, RunEnded)
        ]

    def complete(self) -> list[SavedPlace]:
        return list_complete([list_places(self.gang, worker) for worker in self.workers])

    def steps(self, worker: int = 0) -> int:
        beat = read_beat(self.gang.find_worker(worker).heartbeat)
        return beat.place.total_steps if beat is not None else 0

    def until(self, steps: int = 12) -> None:
        """Wait until it trains, and a set of snapshots is complete."""
        wait_for(lambda: self._trains(steps) or self.head.poll() is not None)
        assert self.head.poll() is None, self.told.read_text()

    def _trains(self, steps: int) -> bool:
        return self.steps() >= steps and bool(self.complete())


def _find_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
