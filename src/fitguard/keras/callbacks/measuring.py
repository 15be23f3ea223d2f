"""What a training process can say of its own memory, in public words of TensorFlow."""

import contextlib
import os
import sys
import time
from typing import ClassVar

from fitguard.contract.memory_counts import MemoryCounts
from fitguard.keras.card import list_own_limits
from fitguard.monitor.sampling.sampler import Sampler

_MIB = 2**20
_FIRST_SECONDS = 2.0
"""At most, until the first batch has something to show."""
_LOOK_SECONDS = 0.005


class Measuring:
    """Measures this process while it trains; see `schema.metrics` for the names.

    All callbacks share one sampler. Each reads the peak of the allocator since it last did.
    """

    _active: ClassVar[list["Measuring"]] = []
    _sampler: ClassVar[Sampler | None] = None
    _counts: ClassVar[MemoryCounts | None] = None

    def __init__(self) -> None:
        self._peak = 0.0

    def start(self) -> None:
        """Called when a `fit` begins."""
        if self not in self._active:
            self._active.append(self)
        if Measuring._sampler is None:
            sampler = Measuring._sampler = Sampler(os.getpid())
            sampler.start()
            until = time.monotonic() + _FIRST_SECONDS
            while not sampler.taken and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)

    def stop(self) -> None:
        """Called when it ends."""
        if self in self._active:
            self._active.remove(self)
        if not self._active and Measuring._sampler is not None:
            Measuring._sampler.stop()
            Measuring._sampler = None

    def read(self) -> dict[str, float]:
        """The newest values, by column; what cannot be measured is left out."""
        latest = {} if Measuring._sampler is None else Measuring._sampler.latest
        known = {name: value for name, value in latest.items() if value is not None}
        known.pop("attempt", None)
        held = self._read_allocator()
        limit = _find_limit(known)
        if held and limit is not None:
            held["allocator_limit_bytes"] = limit
        return {**known, **held}

    def _read_allocator(self) -> dict[str, float]:
        """Of the device that holds most."""
        fullest = self._ask_allocator()
        if fullest is None:
            return {}
        for reader in {self, *self._active}:
            reader._peak = max(reader._peak, fullest["peak"])
        peak, self._peak = self._peak, 0.0
        return {"allocator_bytes": fullest["current"], "allocator_peak_bytes": peak}

    def _ask_allocator(self) -> dict[str, int] | None:
        if "tensorflow" not in sys.modules:
            return None
        if Measuring._counts is None:
            # Not `reset_memory_stats`: the script, and `fitguard run`, may count peaks as well.
            Measuring._counts = MemoryCounts()
        counts, told = Measuring._counts, []
        for name in _list_devices():
            with contextlib.suppress(ValueError, RuntimeError):
                told.append({**counts.read(name), "peak": counts.take_peak(name)})
        return max(told, key=lambda info: info["current"], default=None)


def _list_devices() -> list[str]:
    """GPUs; without one, the CPU tells something if it has the allocator of GPUs."""
    import tensorflow as tf

    gpus = tf.config.list_logical_devices("GPU")
    kind, number = ("GPU", len(gpus)) if gpus else ("CPU", 1)
    return [f"{kind}:{index}" for index in range(number)]


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
    own = list_own_limits() if "tensorflow" in sys.modules else []
    return min([*limits, *own], default=None)
