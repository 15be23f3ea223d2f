"""The least memory in which a step runs, and what it takes where there is room."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from fitguard.memory.graph.allocator import Allocator, OutOfMemory, round_size
from fitguard.memory.graph.buffers import Buffer
from fitguard.memory.graph.shelves import NO_SHELVES, Shelves
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run
from fitguard.memory.graph.workspace import CAP_BYTES, convolution_bytes

PRECISION = 0.004
LATER_STEPS = 2


def peak_bytes(run: Run, batch_size: int, kept_bytes: int = 0) -> int:
    """The most that is in use at once, if nothing were lost between blocks."""
    return max(_list_in_use(run, batch_size, kept_bytes))


def ample_bytes(
    run: Run, batch_size: int, kept_bytes: int, times: Sequence[float]
) -> tuple[int, ...]:
    """The most in use at once where every convolution has a workspace of so many times its data."""
    in_use = _list_in_use(run, batch_size, kept_bytes)
    peak = max(in_use)
    spaces = [
        (held, space.at(batch_size))
        for held, (_, is_new, node) in zip(in_use[1:], run.events, strict=True)
        if is_new and node is not None and (space := convolution_bytes(node)).factor
    ]
    return tuple(
        max([peak, *(held + min(int(one * space), CAP_BYTES) for held, space in spaces)])
        for one in times
    )


def _list_in_use(run: Run, batch_size: int, kept_bytes: int) -> list[int]:
    """Before the step, and after each event."""
    held = [*run.variables, *run.inputs]
    before = kept_bytes + sum(round_size(buffer.size.at(batch_size)) for buffer in held)
    rounded: dict[Size, int] = {}
    changes = [before]
    for buffer, is_new, _ in run.events:
        size = rounded.get(buffer.size)
        if size is None:
            size = rounded[buffer.size] = round_size(buffer.size.at(batch_size))
        changes.append(size if is_new else -size)
    return list(accumulate(changes))


def least_bytes(
    first: Run, later: Run, batch_size: int, kept_bytes: int = 0, shelves: Shelves = NO_SHELVES
) -> int:
    """The smallest limit under which the allocator can serve a training, by bisection.

    The first step leaves the memory in pieces, in which the second one must find its place.

    Args:
        kept_bytes: What lies in memory beside the step.
        shelves: What was made ready for small values.
    """
    fails = peak_bytes(later, batch_size, kept_bytes)
    steps = [_read_moves(first, batch_size), *[_read_moves(later, batch_size)] * LATER_STEPS]
    if _runs(steps, fails, kept_bytes, shelves):
        return fails
    enough = fails + fails // 8
    while not _runs(steps, enough, kept_bytes, shelves):
        fails, enough = enough, enough + enough // 8
    while enough - fails > PRECISION * enough:
        middle = (enough + fails) // 2
        if _runs(steps, middle, kept_bytes, shelves):
            enough = middle
        else:
            fails = middle
    return enough


def runs_within(run: Run, limit_bytes: int, shelves: Shelves) -> bool:
    """Whether a step can be taken again and again under this limit; its sizes are known."""
    return _runs([_read_moves(run, 1)] * LATER_STEPS, limit_bytes, 0, shelves)


@dataclass(frozen=True)
class _Moves:
    """What the allocator is asked for in one step; each buffer is a number.

    Args:
        variables, after, inputs: As in `Run`.
        sizes: Of all buffers, rounded.
        events: The number of a buffer that is allocated; the complement of one that is freed.
    """

    variables: list[int]
    after: list[int]
    inputs: list[int]
    sizes: list[int]
    events: list[int]


def _read_moves(run: Run, batch_size: int) -> _Moves:
    numbers: dict[Buffer, int] = {}
    for buffer in (*run.variables, *run.inputs):
        numbers.setdefault(buffer, len(numbers))
    events = []
    for buffer, is_new, _ in run.events:
        if is_new:
            numbers[buffer] = len(numbers)
        events.append(numbers[buffer] if is_new else ~numbers[buffer])
    return _Moves(
        variables=[numbers[buffer] for buffer in run.variables],
        after=[numbers[buffer] for buffer in run.after],
        inputs=[numbers[buffer] for buffer in run.inputs],
        sizes=[round_size(buffer.size.at(batch_size)) for buffer in numbers],
        events=events,
    )


def _runs(steps: Sequence[_Moves], limit_bytes: int, kept_bytes: int, shelves: Shelves) -> bool:
    allocator = Allocator(limit_bytes)
    first = steps[0]
    try:
        if kept_bytes:
            allocator.allocate(kept_bytes)
        unique = dict.fromkeys(first.variables)
        known = {one: allocator.allocate_rounded(first.sizes[one]) for one in unique}
        places = [known[one] for one in first.variables]
        _put_up(shelves, allocator)
        for step in steps:
            places = _play(step, allocator, places)
    except OutOfMemory:
        return False
    return True


def _put_up(shelves: Shelves, allocator: Allocator) -> None:
    blocks = [(allocator.allocate(size), stays) for size, stays in shelves.list_blocks()]
    for address, stays in blocks:
        if not stays:
            allocator.free(address)


def _play(step: _Moves, allocator: Allocator, places: list[int]) -> list[int]:
    """One step; where its variables lie afterwards.

    Args:
        places: Where they lie before.
    """
    sizes, allocate, free = step.sizes, allocator.allocate_rounded, allocator.free
    where = [0] * len(sizes)
    for number, place in zip(step.variables, places, strict=True):
        where[number] = place
    for number in step.inputs:
        where[number] = allocate(sizes[number])
    for number in step.events:
        if number >= 0:
            where[number] = allocate(sizes[number])
        else:
            free(where[~number])
    for number in step.inputs:
        free(where[number])
    return [where[number] for number in step.after]
