"""Workers of a gang without their guards: the test agrees on places, and calls for snapshots."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import programs
from guarded.harness import SCRIPTS, environment_in

from fitguard.clean_start import words_to_run
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.snapshot_names import list_snapshots
from fitguard.schema.gang import GangOrders, SavedPlace
from fitguard.schema.journal import Orders


class Gang:
    """The workers of one training, on this machine.

    Args:
        words: A script of the folder `scripts`, and its arguments behind the file of results.
    """

    def __init__(self, folder: Path, *words: str, workers: int = 2) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._words = words
        self._workers = range(workers)
        self._round = 0
        self.beats: list[Heartbeat] = []
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, start: SavedPlace | None = None, call=None, *, plain=False, **environment):
        """Begin a round.

        Args:
            call: Place and `leave` of a call that is there before the first step.
            plain: Without fitguard.
        """
        self._round += 1
        addresses = [f"127.0.0.1:{_find_port()}" for _ in self._workers]
        self.beats, self.processes = [], []
        for worker in self._workers:
            cluster = {
                "cluster": {"worker": addresses},
                "task": {"type": "worker", "index": worker},
            }
            path = self.run_folder(worker)
            path.mkdir(parents=True, exist_ok=True)
            self._prepare(worker, start, call)
            guarded = [] if plain else [*words_to_run("fitguard.keras.bootstrap"), str(path)]
            script, *more = self._words
            words = [*guarded, str(SCRIPTS / script), str(self.result(worker)), *more]
            with self.output(worker).open("wb") as output:
                self.processes.append(
                    programs.start(
                        [sys.executable, *words],
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                        cwd=self._folder,
                        env=environment_in(
                            self._folder, TF_CONFIG=json.dumps(cluster), **environment
                        ),
                    )
                )

    def _prepare(self, worker, start, call):
        folder = RunFolder(self.run_folder(worker))
        gang = GangOrders(round=self._round, worker=worker, workers=len(self._workers), start=start)
        orders = Orders(attempt=self._round, seed=5, plan=False, gang=gang, snapshot_seconds=1e9)
        folder.orders.write_bytes(msgspec.json.encode(orders))
        beat = Heartbeat(folder.heartbeat, create=True)
        if call is not None:
            beat.call(call[0], leave=call[1])
        self.beats.append(beat)

    def run_folder(self, worker: int) -> Path:
        """Of one worker."""
        return self._folder / f"worker-{worker}"

    def result(self, worker: int) -> Path:
        """What the script saves there."""
        return self._folder / f"round-{self._round}-{worker}.npz"

    def output(self, worker: int) -> Path:
        """All that it has written in this round."""
        return self._folder / f"round-{self._round}-{worker}.txt"

    def wait(self) -> list[int]:
        """Until all have ended; their codes."""
        codes = [process.wait(programs.LONGEST_SECONDS) for process in self.processes]
        for beat in self.beats:
            beat.close()
        return codes

    def kill(self, *workers: int) -> None:
        """End some as a kill does."""
        for worker in workers:
            self.processes[worker].kill()

    def list_saved(self, worker: int) -> list[SavedPlace]:
        """What a worker has on the disk, by the names of files."""
        files = list_snapshots(RunFolder(self.run_folder(worker)).snapshots)
        return [SavedPlace(file.fit, file.steps, file.end) for file in files]

    def read_output(self) -> str:
        """Of all workers, for who reads a failed test."""
        return "\n".join(self.output(w).read_text(errors="replace")[-3000:] for w in self._workers)


def _find_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
