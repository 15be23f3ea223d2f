"""Asks NVML each second, in a thread of its own: a sick driver may answer late or never."""

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from fitguard.facts import nvml
from fitguard.monitor.sampling.gpus import GpuReader
from fitguard.monitor.sampling.host import Values
from fitguard.monitor.sampling.xids import XidWatch

EVERY_SECONDS = 1.0
LATE_SECONDS = 10.0


class GpuWatch(threading.Thread):
    """Holds the newest answers of NVML.

    Args:
        pids: Says who is watched.
        environment: Theirs.
        load: Gives the binding of NVML.

    Attributes:
        ready: Set once the GPUs are known, or that there are none.
        columns: Of the flight record; none before that.
    """

    def __init__(
        self,
        pids: Callable[[], Collection[int]],
        environment: Mapping[str, str],
        load: Callable[[], Any] = nvml.load,
    ) -> None:
        super().__init__(daemon=True, name="fitguard-gpus")
        self._pids = pids
        self._environment = environment
        self._load = load
        self._stopping = threading.Event()
        self._answers: Values = {}
        self._answered = time.monotonic()
        self._known_missing: list[str] = []
        self.ready = threading.Event()
        self.columns: tuple[str, ...] = ()

    def run(self) -> None:
        reader = GpuReader(self._environment, self._load)
        self._known_missing, self.columns = reader.missing, reader.columns
        self.ready.set()
        if not reader.devices:
            return
        watch = XidWatch(reader, self._stopping.wait)
        if watch.missing:
            reader.missing.append(watch.missing)
        xids: Values = {}
        while not self._stopping.is_set():
            answers = reader.read(self._pids())
            self._answers, self._answered = {**answers, **xids}, time.monotonic()
            xids |= watch.wait_for(EVERY_SECONDS)
            # Xids may come by the hundred.
            rest = EVERY_SECONDS - (time.monotonic() - self._answered)
            self._stopping.wait(max(0.0, rest))
        watch.close()
        with contextlib.suppress(reader.binding.NVMLError):
            reader.binding.nvmlShutdown()

    def take(self) -> Values:
        """What came since the last call."""
        answers, self._answers = self._answers, {}
        return answers

    def stop(self) -> None:
        """Ask no more; it is not waited for."""
        self._stopping.set()

    @property
    def missing(self) -> list[str]:
        """Sentences on what cannot be known."""
        late = self.is_alive() and time.monotonic() - self._answered > LATE_SECONDS
        silence = [f"NVML has not answered for {LATE_SECONDS:g} s"] if late else []
        return [*self._known_missing, *silence]
