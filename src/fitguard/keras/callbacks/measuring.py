"""What a training process can say of its own memory."""

import contextlib
import os
import sys
import time

from fitguard.contract.memory_counts import MemoryCounts
from fitguard.contract.memory_limit import list_limits
from fitguard.monitor.sampling.sampler import Sampler

_MIB = 2**20
_FIRST_SECONDS = 2.0
"""At most, until the first batch has something to show."""
_LOOK_SECONDS = 0.005


class Measuring:
    """Measures this process while it trains; see `schema.metrics` for the names.

    Attributes:
        peak: The most that the allocator had in use since `read` was called last.
    """

    def __init__(self) -> None:
        self.peak = 0.0

    def start(self) -> None:
        """Called when a `fit` begins."""
        _METER.begin(self)

    def stop(self) -> None:
        """Called when it ends."""
        _METER.end(self)

    def read(self) -> dict[str, float]:
        """The newest values, by column; what cannot be measured is left out."""
        known = _METER.read_outside()
        current = _METER.read_allocator(self)
        if current is None:
            return known
        peak, self.peak = self.peak, 0.0
        held = {"allocator_bytes": current, "allocator_peak_bytes": peak}
        limit = _find_limit(known)
        return {**known, **held, **({} if limit is None else {"allocator_limit_bytes": limit})}


class _Meter:
    """What all callbacks of a process share: one sampler, and the counts of the allocator."""

    def __init__(self) -> None:
        self._readers: list[Measuring] = []
        self._sampler: Sampler | None = None
        self._counts: MemoryCounts | None = None

    def begin(self, reader: Measuring) -> None:
        if reader not in self._readers:
            self._readers.append(reader)
        if self._sampler is None:
            self._sampler = Sampler(os.getpid())
            self._sampler.start()
            until = time.monotonic() + _FIRST_SECONDS
            while not self._sampler.taken and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)

    def end(self, reader: Measuring) -> None:
        if reader in self._readers:
            self._readers.remove(reader)
        if not self._readers and self._sampler is not None:
            self._sampler.stop()
            self._sampler = None

    def read_outside(self) -> dict[str, float]:
        latest = {} if self._sampler is None else self._sampler.latest
        known = latest.items()
        return {name: value for name, value in known if value is not None and name != "attempt"}

    def read_allocator(self, reader: Measuring) -> float | None:
        """In use on the device that holds most; the peak goes to all who read."""
        if "tensorflow" not in sys.modules:
            return None
        if self._counts is None:
            # Not `reset_memory_stats`: the script, and `fitguard run`, may count peaks as well.
            self._counts = MemoryCounts()
        told = []
        for name in _list_devices():
            with contextlib.suppress(ValueError, RuntimeError):
                told.append((self._counts.read(name)["current"], self._counts.take_peak(name)))
        if not told:
            return None
        current, peak = max(told)
        for one in {reader, *self._readers}:
            one.peak = max(one.peak, peak)
        return current


_METER = _Meter()


def _list_devices() -> list[str]:
    """GPUs; without one, the CPU if it has the allocator of GPUs: its own one counts nothing."""
    import tensorflow as tf

    gpus = len(tf.config.list_logical_devices("GPU"))
    is_counted = os.environ.get("TF_CPU_ALLOCATOR_USE_BFC", "") in ("1", "true")
    return [f"GPU:{index}" for index in range(gpus)] or ["CPU:0"] * is_counted


def _find_limit(known: dict[str, float]) -> float | None:
    """What the allocator can have at most, of the GPU that has least; None where nobody knows."""
    limits = [
        total - known.get(f"gpu_used_bytes:{index}", 0.0) + known[f"gpu_process_bytes:{index}"]
        for column, total in known.items()
        if (index := column.removeprefix("gpu_total_bytes:")) != column
        and f"gpu_process_bytes:{index}" in known
    ]
    of_cpu = os.environ.get("TF_CPU_BFC_MEM_LIMIT_IN_MB", "")
    if not limits and of_cpu.isdecimal():
        limits = [float(of_cpu) * _MIB]
    return min([*limits, *list_limits()], default=None)
