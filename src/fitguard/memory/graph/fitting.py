"""The least memory in which a step runs, and what it takes where there is room."""

from fitguard.memory.graph.allocator import Allocator, OutOfMemory, round_size
from fitguard.memory.graph.buffers import Buffer
from fitguard.memory.graph.step import Run
from fitguard.memory.graph.workspace import CAP_BYTES, convolution_bytes

PRECISION = 0.004
LATER_STEPS = 2


def peak_bytes(run: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """The most that is in use at once, if nothing were lost between blocks."""
    held = [*run.variables, *run.inputs]
    current = kept_bytes + sum(round_size(buffer.size.at(batch_size)) for buffer in held)
    most = current
    for buffer, is_new, _ in run.events:
        size = round_size(buffer.size.at(batch_size))
        current += size if is_new else -size
        most = max(most, current)
    return most


def ample_bytes(run: Run, batch_size: int, kept_bytes: int, times: float) -> int:
    """The most in use at once where every convolution has a workspace of so many times its data."""
    held = [*run.variables, *run.inputs]
    current = kept_bytes + sum(round_size(buffer.size.at(batch_size)) for buffer in held)
    most = current
    for buffer, is_new, node in run.events:
        size = round_size(buffer.size.at(batch_size))
        current += size if is_new else -size
        if node is not None and is_new:
            workspace = times * convolution_bytes(node).at(batch_size)
            most = max(most, current + min(int(workspace), CAP_BYTES))
    return most


def least_bytes(first: Run, later: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """The smallest limit under which the allocator can serve a training, by bisection.

    The first step leaves the memory in pieces, in which the second one must find its place.

    Args:
        kept_bytes: What lies in memory beside the step.
    """
    fails = peak_bytes(later, batch_size, kept_bytes)
    if _runs(first, later, batch_size, fails, kept_bytes):
        return fails
    enough = fails + fails // 8
    while not _runs(first, later, batch_size, enough, kept_bytes):
        fails, enough = enough, enough + enough // 8
    while enough - fails > PRECISION * enough:
        middle = (enough + fails) // 2
        if _runs(first, later, batch_size, middle, kept_bytes):
            enough = middle
        else:
            fails = middle
    return enough


def _runs(first: Run, later: Run, batch_size: int, limit_bytes: int, kept_bytes: int) -> bool:
    allocator = Allocator(limit_bytes)
    try:
        if kept_bytes:
            allocator.allocate(kept_bytes)
        where = {
            buffer: allocator.allocate(buffer.size.at(batch_size))
            for buffer in dict.fromkeys(first.variables)
        }
        moved = _play(first, batch_size, allocator, where)
        for _ in range(LATER_STEPS):
            where = dict(zip(later.variables, moved, strict=True))
            moved = _play(later, batch_size, allocator, where)
    except OutOfMemory:
        return False
    return True


def _play(run: Run, batch_size: int, allocator: Allocator, where: dict[Buffer, int]) -> list[int]:
    """One step; where its variables lie afterwards."""
    for buffer in run.inputs:
        where[buffer] = allocator.allocate(buffer.size.at(batch_size))
    for buffer, is_new, _ in run.events:
        if is_new:
            where[buffer] = allocator.allocate(buffer.size.at(batch_size))
        else:
            allocator.free(where.pop(buffer))
    for buffer in run.inputs:
        allocator.free(where.pop(buffer))
    return [where[buffer] for buffer in run.after]
