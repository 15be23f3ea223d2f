"""Memory of the training over time, in a thread: a sick driver may answer late or never."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fitguard.facts import host
from fitguard.facts.processes import (
    Process,
    find_family,
    list_thread_numbers,
    sum_resident_bytes,
)
from fitguard.monitor.heartbeat import Beat
from fitguard.monitor.journal import now
from fitguard.monitor.samples import append_sample
from fitguard.schema.run import MemorySample
from fitguard.supervise.gpu_memory import GpuMemory

OFTEN_SECONDS = 1.0
RARELY_SECONDS = 10.0
OFTEN_FOR_SECONDS = 180.0


@dataclass(frozen=True)
class Subject:
    """Whose memory is measured."""

    pid: int
    attempt: int
    beat: Callable[[], Beat]


class Sampler(threading.Thread):
    """Writes a sample each second, later every ten.

    Args:
        path: Of the samples.
    """

    def __init__(self, subject: Subject, path: Path, gpu: GpuMemory | None = None) -> None:
        super().__init__(daemon=True, name="fitguard-sampler")
        self._subject = subject
        self._path = path
        self._gpu = gpu or GpuMemory()
        self._stopping = threading.Event()
        self._limit_bytes: int | None = None
        self.relatives: list[Process] = []
        self.numbers: dict[int, float] = {}
        self.taken = 0
        self.peak_host_bytes = 0
        self.peak_gpu_bytes = 0

    def run(self) -> None:
        begun = time.monotonic()
        machine = host.read()
        self._limit_bytes = machine.cgroup_limit_bytes or machine.ram_bytes
        pause = OFTEN_SECONDS
        while not self._stopping.wait(pause):
            self._sample()
            often = time.monotonic() - begun < OFTEN_FOR_SECONDS
            pause = OFTEN_SECONDS if often else RARELY_SECONDS

    def stop(self, limit_seconds: float = 1.0) -> None:
        """No more samples."""
        self._stopping.set()
        self.join(limit_seconds)

    def _sample(self) -> None:
        relatives = find_family(self._subject.pid)
        if not relatives:
            return
        host_bytes = sum_resident_bytes(relatives)
        gpu_bytes = self._gpu.bytes_of([process.pid for process in relatives])
        if self._stopping.is_set():
            return
        self.relatives = relatives
        self.numbers.update(dict.fromkeys(list_thread_numbers(relatives), time.monotonic()))
        self.peak_host_bytes = max(self.peak_host_bytes, host_bytes)
        self.peak_gpu_bytes = max(self.peak_gpu_bytes, gpu_bytes or 0)
        append_sample(
            self._path,
            MemorySample(
                time=now(),
                attempt=self._subject.attempt,
                total_steps=self._subject.beat().place.total_steps,
                host_bytes=host_bytes,
                host_limit_bytes=self._limit_bytes,
                gpu_bytes=gpu_bytes,
            ),
        )
        self.taken += 1
