"""Leads a scan through a whole array, at the speed of memory, on all cores."""

import math
import os
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np

from fitguard.inputs.scan.blocks import Blocks
from fitguard.inputs.scan.field_scan import FieldScan
from fitguard.inputs.scan.mapped_pages import find_mapped_pages
from fitguard.inputs.scan.objects import holds_objects
from fitguard.inputs.scan.pieces import Array
from fitguard.inputs.scan.visits import spread

BLOCK_BYTES, BLOCK_VALUES = 1 << 26, 1 << 24
"""What is read between two looks at the clock: some milliseconds, more where labels are counted."""
MAPPED_BYTES = 1 << 25
"""The same for a file, which may be slow; and each thread keeps so much of it in memory."""
BLOCK_OBJECTS = 1 << 16
"""The same for Python objects, each of which costs as much as hundreds of bytes."""
MOST_THREADS = 4
"""More hardly read faster, as the memory is the limit, and map more of a file at a time."""

Progress = Callable[[int, int], None]


def scan_array(
    scan: FieldScan,
    array: Array | Blocks,
    deadline: float | None = None,
    progress: Progress | None = None,
) -> None:
    """Show a scan all samples of an array, or as many as there is time for.

    No copy of the array is made. The first block is always read.

    Args:
        deadline: On the clock of `time.monotonic`. What was seen by then is spread evenly over
            the array. None: read everything.
        progress: Is called with the samples read, and with how many there are.
    """
    values = array if isinstance(array, Blocks) else np.atleast_1d(np.asarray(array))
    pages = find_mapped_pages(array)
    samples, step = len(values), _samples_per_block(values, in_memory=pages is None)
    parts = math.ceil(samples / step)

    def visit(part: int) -> int:
        if part and deadline is not None and time.monotonic() >= deadline:
            return 0
        block = values[part * step : (part + 1) * step]
        scan.add(block, part * step)
        if pages is not None:
            pages.give_back(block)
        return len(block)

    done = 0
    order = range(parts) if deadline is None else spread(parts)
    with closing(_on_all_cores(visit, order, parts)) as visits:
        for seen in visits:
            done += seen
            if progress is not None and seen:
                progress(done, samples)
    if not parts:
        scan.add(np.asarray(values), 0)


def _samples_per_block(values: Array | Blocks, *, in_memory: bool) -> int:
    size_bytes = BLOCK_BYTES if in_memory else MAPPED_BYTES
    most = min(BLOCK_VALUES, size_bytes // max(1, int(values.itemsize)))
    if holds_objects(values):
        most = min(most, BLOCK_OBJECTS)
    return max(1, most // max(1, int(math.prod(values.shape[1:]))))


def _on_all_cores(
    visit: Callable[[int], int], order: Iterable[int], parts: int
) -> Generator[int, None, None]:
    """Visit all parts, in this order as far as several threads keep one."""
    threads = min(parts, _cores(), MOST_THREADS)
    if threads < 2:
        yield from map(visit, order)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="fitguard-scan")
    try:
        yield from pool.map(visit, order)
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
