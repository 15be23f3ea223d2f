"""Measures a process and its descendants from outside, ten times a second."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fitguard.facts import nvml
from fitguard.facts.processes import (
    Process,
    find_family,
    list_thread_numbers,
    read_environment,
)
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.sampling.forward_clock import ForwardClock
from fitguard.monitor.sampling.gpu_watch import GpuWatch
from fitguard.monitor.sampling.host import HOST_COLUMNS, HostReader, Values

OFTEN_SECONDS = 0.1
RARELY_SECONDS = 1.0
_MOST_TIME_LOOKING = 0.01
"""Of all time, for descendants: a machine may have thousands of processes."""
_WAIT_FOR_NVML_SECONDS = 5.0


class Sampler(threading.Thread):
    """Writes main memory at each tick, and all else once a second.

    Args:
        pid: Of the training.
        path: Of the flight record; None where none is kept.
        attempt: Its number in the run.
        count_steps: How many the run has trained.
        count_failures: How many allocations failed and were retried; None where nobody knows.
        read_signs: `beats` and `fitting` of a training that is guarded.
        disk: A folder on the disk of the snapshots.
        load: Gives the binding of NVML.

    Attributes:
        latest: The newest value of each column.
        relatives: The process and its descendants, as they were seen last.
        numbers: Of these and their threads, with the time when each was last seen.
        taken: How many samples there are.
        peak_host_bytes: The most that was seen; `peak_gpu_bytes` likewise, of all GPUs together.

    Example:
        >>> sampler = Sampler(pid, Path("parent.record"))
        >>> sampler.start()
        >>> sampler.latest["host_bytes"]
        >>> sampler.stop()
    """

    def __init__(
        self,
        pid: int,
        path: Path | None = None,
        *,
        attempt: int = 1,
        count_steps: Callable[[], int] = int,
        count_failures: Callable[[], int | None] = lambda: None,
        read_signs: Callable[[], Values] = dict,
        disk: Path | None = None,
        load: Callable[[], Any] = nvml.load,
    ) -> None:
        super().__init__(daemon=True, name="fitguard-sampler")
        self._pid = pid
        self._path = path
        self._attempt = attempt
        self._count_steps = count_steps
        self._count_failures = count_failures
        self._read_signs = read_signs
        self._disk = disk
        self._load = load
        self._stopping = threading.Event()
        self._clock = ForwardClock()
        self._recorder: FlightRecorder | None = None
        self._waiting: list[tuple[float, int, Values]] = []
        self._looked = -1e9
        self._look_seconds = 0.0
        self._told: set[str] = set()
        self._missing: list[str] = []
        self.latest: Values = {}
        self.relatives: list[Process] = []
        self.numbers: dict[int, float] = {}
        self.taken = 0
        self.peak_host_bytes = 0
        self.peak_gpu_bytes = 0

    def run(self) -> None:
        host = HostReader(self._pid, self._disk)
        gpus = GpuWatch(self._list_pids, read_environment(self._pid), self._load)
        self._look_for_family()
        gpus.start()
        begun = time.monotonic()
        whole_at, next_at = begun, begun
        while not self._stopping.wait(max(0.0, next_at - time.monotonic())):
            moment = time.monotonic()
            # What was late is not made up for.
            next_at = max(next_at + OFTEN_SECONDS, moment)
            self._look_for_family()
            whole = moment >= whole_at
            values = host.read(self.relatives) if whole else host.read_memory(self.relatives)
            values |= gpus.take()
            if self._stopping.is_set() or values["host_bytes"] is None:
                continue  # it is gone
            if whole:
                whole_at = moment + RARELY_SECONDS
                self._note_missing([*host.describe_missing(values), *gpus.missing])
            self._keep(values)
            if gpus.ready.is_set() or moment - begun > _WAIT_FOR_NVML_SECONDS:
                self._write(gpus.columns)
        gpus.stop()
        self._write(gpus.columns)
        if self._recorder is not None:
            self._recorder.close()

    def stop(self, limit_seconds: float = 1.0) -> None:
        """No more samples."""
        self._stopping.set()
        self.join(limit_seconds)

    def take_missing(self) -> list[str]:
        """Sentences on what cannot be measured here; each once."""
        missing, self._missing = self._missing, []
        return missing

    def _list_pids(self) -> list[int]:
        return [process.pid for process in self.relatives]

    def _look_for_family(self) -> None:
        begun = time.monotonic()
        rest = max(RARELY_SECONDS, self._look_seconds / _MOST_TIME_LOOKING)
        if self.relatives and begun - self._looked < rest:
            return
        if relatives := find_family(self._pid):
            self.relatives = relatives
            self.numbers.update(dict.fromkeys(list_thread_numbers(relatives), begun))
        self._looked, self._look_seconds = begun, time.monotonic() - begun

    def _note_missing(self, sentences: list[str]) -> None:
        new = [sentence for sentence in sentences if sentence not in self._told]
        self._told.update(new)
        self._missing = [*self._missing, *new]

    def _keep(self, values: Values) -> None:
        values |= {"attempt": self._attempt, "allocation_failures": self._count_failures()}
        values |= self._read_signs()
        self._waiting.append((self._clock.read(), self._count_steps(), values))
        self.latest = {**self.latest, **values}
        held = (size or 0 for name, size in values.items() if name.startswith("gpu_process_bytes"))
        self.peak_gpu_bytes = max(self.peak_gpu_bytes, int(sum(held)))
        self.peak_host_bytes = max(self.peak_host_bytes, int(values["host_bytes"] or 0))
        self.taken += 1

    def _write(self, gpu_columns: tuple[str, ...]) -> None:
        signs = ("attempt", "allocation_failures", "beats", "fitting")
        columns = (*signs, *HOST_COLUMNS, *gpu_columns)
        waiting, self._waiting = self._waiting, []
        if self._path is None:
            return
        if self._recorder is None or self._recorder.columns != columns:
            if self._recorder is not None:
                self._recorder.close()
            self._recorder = FlightRecorder(self._path, columns)
        for sample in waiting:
            self._recorder.add(*sample)
