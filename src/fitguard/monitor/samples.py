"""Memory over time: appended by parent and child, read by the report."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fitguard.monitor.flushing import append_line
from fitguard.schema.run import MemorySample

MOST_SHOWN = 2000
"""Of more samples, the document holds every second, third, …"""

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(MemorySample)


def append_sample(path: Path, sample: MemorySample) -> None:
    """Write one; a disk that is full costs the sample."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            append_line(file, _ENCODER.encode(sample) + b"\n")
        finally:
            os.close(file)


def read_samples(path: Path) -> list[MemorySample]:
    """All samples, in the order of time; torn lines are left out."""
    samples: list[MemorySample] = []
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_bytes().split(b"\n"):
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
                samples.append(_DECODER.decode(line))
    return sorted(samples, key=lambda sample: sample.time)


def thin_samples(samples: Sequence[MemorySample], most: int = MOST_SHOWN) -> list[MemorySample]:
    """At most so many: of each group of neighbours the one with the most memory."""
    if len(samples) <= most:
        return list(samples)
    width = -(-len(samples) // most)
    groups = [samples[start : start + width] for start in range(0, len(samples), width)]
    return [max(group, key=_weight) for group in groups]


def _weight(sample: MemorySample) -> tuple[int, int]:
    return (sample.gpu_bytes or sample.allocator_bytes or 0, sample.host_bytes or 0)
