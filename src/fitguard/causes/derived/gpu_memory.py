"""What the story tells of the GPU's memory: who asked, how much was free, what speaks for whom."""

import re
from dataclasses import dataclass

from fitguard.causes.derived.card_at_start import Tiny, tiny_device, tiny_pool
from fitguard.schema.crash import AllocatorState, Signal, Story

_HOST_ALLOCATORS = re.compile(r"^(?:mkl)?cpu$|^(?:cuda|gpu)_host_bfc$", re.I)
# Keras numbers what it builds; a name like training_10 tells that nine came before it.
_NUMBERED = re.compile(
    r"(?:^|/)(?P<thing>training|loss|metrics|Adam|SGD|RMSprop|gradients|model|sequential|functional)"
    r"_(?P<number>\d+)(?:_\d+)?(?:/|$)"
)
_FEW_MODELS, _FEW_TRAININGS = 10, 3
_MIB = 2**20
_CLEARLY, _ALL_BUT = 1.5, 0.12
_KEPT_COUNT, _KEPT_SHARE, _KEPT_ALONE = 20, 0.35, 0.75


@dataclass(frozen=True)
class Growing:
    """A name that tells of many models built before in the same process."""

    signal: Signal
    name: str
    number: int


@dataclass(frozen=True)
class GpuMemory:
    """All that is known of the GPU's memory.

    Args:
        state: Of the most telling refusal.
        refused: The lines in which an allocator of the GPU refuses, the clearest first.
        told_by: The line that tells most of it, a part of a dump where there is no refusal; a dump
            is only written where a request was refused.
        scattered: Free bytes over requested ones, where no free block was large enough; else 0.
        kept: The share of the memory in use that tensors of one size hold, where there are many.
        compiled: Whether XLA asked: its activations live in one block.
    """

    state: AllocatorState | None
    refused: tuple[Signal, ...]
    told_by: Signal | None
    scattered: float
    kept: float
    compiled: bool
    growing: Growing | None
    tiny: Tiny | None

    @property
    def in_pieces(self) -> bool:
        """Whether clearly more was free than asked for, and the pool not just all but full."""
        state = self.state
        if self.scattered < _CLEARLY or state is None:
            return False
        return not state.limit_bytes or (state.free_bytes or 0) >= _ALL_BUT * state.limit_bytes

    @property
    def hoards(self) -> bool:
        """Whether so many tensors of one size live that the program must be keeping them."""
        return self.kept >= (_KEPT_SHARE if self.compiled else _KEPT_ALONE)

    @property
    def more_of_the_same(self) -> bool:
        """Whether most of the memory is in tensors of the very size that was asked for again."""
        state = self.state
        return (
            state is not None
            and state.requested_bytes is not None
            and state.repeated_size_bytes == state.requested_bytes
            and (state.repeated_count or 0) * state.requested_bytes > (state.in_use_bytes or 0) / 2
        )

    @property
    def over_bytes(self) -> int | None:
        """How many bytes more than there are the run needed, at the moment of the refusal."""
        state = self.state
        if state is None or state.limit_bytes is None or state.requested_bytes is None:
            return None
        return max(0, (state.in_use_bytes or 0) + state.requested_bytes - state.limit_bytes)


def gpu_memory(story: Story) -> GpuMemory:
    """Read the story for its GPU memory."""
    state = _telling(story)
    refused = tuple(
        signal
        for name in (
            "oom-allocating",
            "xla-out-of-memory",
            "allocator-refused",
            "async-allocator-refused",
            "resource-exhausted",
        )
        for signal in story.all(name)
        if not on_host(signal.values.get("allocator"), signal.values.get("device"))
    )
    return GpuMemory(
        state=state,
        refused=refused,
        told_by=next(iter(refused), None) or _find_dump(story),
        scattered=_compute_scatter_ratio(state),
        kept=_compute_kept_share(state),
        compiled=story.has("xla-out-of-memory"),
        growing=_growing(story),
        tiny=tiny_device(story) or tiny_pool(story, state),
    )


def on_host(allocator: str | None, device: str | None = None) -> bool:
    """Whether an allocator serves the host's memory; unknown ones serve the GPU's."""
    if allocator is None:
        return device is not None and "CPU" in device
    return _HOST_ALLOCATORS.match(allocator) is not None


def _find_dump(story: Story) -> Signal | None:
    """A part of a dump, unless it is of an allocator of the host."""
    return None if only_host_pools(story) else story.first("allocator-dump")


def only_host_pools(story: Story) -> bool:
    """Whether all that refused were allocators of the host."""
    return bool(story.allocations) and all(on_host(state.allocator) for state in story.allocations)


def _telling(story: Story) -> AllocatorState | None:
    """The first refusal with a dump, else the first that says what was asked for."""
    states = [state for state in story.allocations if not on_host(state.allocator)]
    whole = [state for state in states if state.limit_bytes and state.requested_bytes]
    return next(iter([*whole, *states]), None)


def _compute_scatter_ratio(state: AllocatorState | None) -> float:
    if (
        state is None
        or not state.requested_bytes
        or state.free_bytes is None
        or state.largest_free_bytes is None
        or state.largest_free_bytes >= state.requested_bytes
    ):
        return 0.0
    return state.free_bytes / state.requested_bytes


def _compute_kept_share(state: AllocatorState | None) -> float:
    if (
        state is None
        or not state.in_use_bytes
        or state.repeated_count is None
        or state.repeated_size_bytes is None
        or state.repeated_count < _KEPT_COUNT
        or state.repeated_size_bytes < _MIB
    ):
        return 0.0
    return state.repeated_count * state.repeated_size_bytes / state.in_use_bytes


def _growing(story: Story) -> Growing | None:
    found = [
        Growing(signal, match[0].strip("/"), int(match["number"]))
        for signal in story.all("failing-node", "allocator-refused", "oom-allocating", "dst-tensor")
        for match in _NUMBERED.finditer(_node(signal))
        if int(match["number"]) >= (_FEW_MODELS if match["thing"][0] in "msf" else _FEW_TRAININGS)
    ]
    return max(found, key=lambda growing: growing.number, default=None)


def _node(signal: Signal) -> str:
    names = (signal.values.get(group) for group in ("node", "old", "defined", "op"))
    return next((name for name in names if name), "")
