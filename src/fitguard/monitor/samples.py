"""Memory over time: appended by parent and child, read by the report."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fitguard.monitor.flushing import append_line
from fitguard.monitor.regular_files import UNDECODABLE, open_regular, read_end
from fitguard.schema.run import MemorySample

MOST_SHOWN = 2000
"""Of more samples, the document holds every second, third, …"""

_MOST_BYTES = 64 << 20
"""Of these, the newest: more than a month."""
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(MemorySample)


def append_sample(path: Path, sample: MemorySample) -> None:
    """Write one; a disk that is full costs the sample."""
    with contextlib.suppress(OSError):
        file = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            append_line(file, _ENCODER.encode(sample) + b"\n")
        finally:
            os.close(file)


def read_samples(path: Path) -> list[MemorySample]:
    """All samples, in the order of time; torn lines are left out, and files that are no samples."""
    samples: list[MemorySample] = []
    with contextlib.suppress(OSError):
        for line in read_end(path, _MOST_BYTES).split(b"\n"):
            with contextlib.suppress(*UNDECODABLE):
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
