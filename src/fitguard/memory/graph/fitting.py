"""The least memory in which a step runs, and the regions that it takes where there is room."""

from fitguard.memory.graph.allocator import Allocator, GrowingAllocator, OutOfMemory, rounded
from fitguard.memory.graph.buffers import Buffer
from fitguard.memory.graph.step import Run
from fitguard.memory.graph.workspace import CAP_BYTES, convolution_bytes

STEPS = 2
"""The second one finds the memory in pieces, as the first one left it."""
PRECISION = 0.004


def peak_bytes(run: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """The most that is in use at once, if nothing were lost between blocks."""
    held = [*run.variables, *run.inputs]
    current = kept_bytes + sum(rounded(buffer.size.at(batch_size)) for buffer in held)
    most = current
    for buffer, is_new, _ in run.events:
        size = rounded(buffer.size.at(batch_size))
        current += size if is_new else -size
        most = max(most, current)
    return most


def ample_bytes(run: Run, batch_size: int, kept_bytes: int, times: float) -> int:
    """The most in use at once where every convolution has a workspace of so many times its data."""
    held = [*run.variables, *run.inputs]
    current = kept_bytes + sum(rounded(buffer.size.at(batch_size)) for buffer in held)
    most = current
    for buffer, is_new, node in run.events:
        size = rounded(buffer.size.at(batch_size))
        current += size if is_new else -size
        if node is not None and is_new:
            workspace = times * convolution_bytes(node).at(batch_size)
            most = max(most, current + min(int(workspace), CAP_BYTES))
    return most


def least_bytes(run: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """The smallest limit under which the allocator can serve the step, by bisection.

    Args:
        kept_bytes: What lies in memory beside the step.
    """
    fails = peak_bytes(run, batch_size, kept_bytes)
    if _runs(run, batch_size, Allocator(fails), kept_bytes):
        return fails
    enough = fails + fails // 4
    while not _runs(run, batch_size, Allocator(enough), kept_bytes):
        fails, enough = enough, enough + enough // 4
    while enough - fails > PRECISION * enough:
        middle = (enough + fails) // 2
        if _runs(run, batch_size, Allocator(middle), kept_bytes):
            enough = middle
        else:
            fails = middle
    return enough


def region_bytes(run: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """What the allocator takes from the driver where it may grow."""
    allocator = GrowingAllocator()
    _runs(run, batch_size, allocator, kept_bytes)
    return allocator.limit_bytes


def _runs(run: Run, batch_size: int, allocator: Allocator, kept_bytes: int) -> bool:
    try:
        if kept_bytes:
            allocator.allocate(kept_bytes)
        where = {b: allocator.allocate(b.size.at(batch_size)) for b in run.variables}
        for _ in range(STEPS):
            _play(run, batch_size, allocator, where)
    except OutOfMemory:
        return False
    return True


def _play(run: Run, batch_size: int, allocator: Allocator, where: dict[Buffer, int]) -> None:
    """One step; `where` is brought up to date."""
    for buffer in run.inputs:
        where[buffer] = allocator.allocate(buffer.size.at(batch_size))
    for buffer, is_new, _ in run.events:
        if is_new:
            where[buffer] = allocator.allocate(buffer.size.at(batch_size))
        else:
            allocator.free(where.pop(buffer))
    for buffer in run.inputs:
        allocator.free(where.pop(buffer))
    moved = [where[buffer] for buffer in run.after]
    for buffer, address in zip(run.variables, moved, strict=True):
        where[buffer] = address
