"""How much of the card was left when TensorFlow came to it."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from fitguard.knowledge import knowledge
from fitguard.schema.crash import AllocatorState, Signal, Story

_MIB = 2**20
_TINY_MIB, _TINY_SHARE = 300, 0.2
_MOST = 0.6
# The shrinking steps of TensorFlow's first request: each is nine tenths of the one before.
_STEP, _STEP_MARGIN = 0.9, 0.02


@dataclass(frozen=True)
class Tiny:
    """A device that TensorFlow made with little of the card's memory."""

    signal: Signal
    memory_mib: int
    card_mib: int | None


def tiny_device(story: Story) -> Tiny | None:
    """A round number is a limit that the user set, an odd one is what others left over."""
    if story.has("memory-limit-told"):
        return None
    for signal in story.all("device-created"):
        memory_mib = int(signal.values.get("memory_mb") or 0)
        if not memory_mib or memory_mib % 100 == 0 or memory_mib % 128 == 0:
            continue
        card_mib = _card_mib(signal.values.get("name", ""))
        if memory_mib < _TINY_MIB or (card_mib and memory_mib < _TINY_SHARE * card_mib):
            return Tiny(signal, memory_mib, card_mib)
    return None


def tiny_pool(story: Story, state: AllocatorState | None) -> Tiny | None:
    """The same of a pool's limit; one that was set is in whole MiB."""
    dump = story.first("allocator-dump")
    if dump is None or state is None or not state.limit_bytes:
        return None
    if state.limit_bytes % _MIB == 0 or story.has("memory-limit-told"):
        return None
    memory_mib = state.limit_bytes // _MIB
    return Tiny(dump, memory_mib, None) if memory_mib < _TINY_MIB else None


@lru_cache(maxsize=64)  # a log may name the same card on hundreds of lines
def _card_mib(name: str) -> int | None:
    sizes = {size for model in knowledge().gpus.find(name) for size in model.memory_gib}
    return int(min(sizes) * 1024) if sizes else None


def shrinking(signals: tuple[Signal, ...]) -> bool:
    """Whether requests to the card shrink by tenths: TensorFlow's search for a first region."""
    sizes = [int(signal.values["bytes"]) for signal in signals if "bytes" in signal.values]
    return any(
        before and abs(after / before - _STEP) < _STEP_MARGIN for before, after in pairwise(sizes)
    )


def whole_card(story: Story, request: Signal) -> bool:
    """Whether a request to the card is for most of it: TensorFlow's first one, at its start."""
    asked_bytes = int(request.values.get("bytes") or 0)
    pools = [
        int(signal.values["memory_mb"]) * _MIB
        for signal in story.all("device-created")
        if signal.values.get("memory_mb")
    ]
    cards = [int(_MOST * gpu.memory_bytes) for gpu in story.facts.gpus or () if gpu.memory_bytes]
    enough = [*(int(0.95 * pool) for pool in pools), *cards]
    return bool(enough) and asked_bytes >= min(enough)


def full_card(story: Story) -> Signal | None:
    """A line that shows a card of which others have nearly everything."""
    for signal in story.all("nvidia-smi-memory"):
        if int(signal.values["used"]) > 0.9 * int(signal.values["total"]) > 0:
            return signal
    for signal in story.all("free-memory"):
        free, total = signal.values.get("free", ""), signal.values.get("total", "")
        if free.endswith("MiB") and (not total or total.endswith("GiB")):
            return signal
    return None
