"""How many elements make one pass over the data, where repeats make a stream longer or endless."""

from fitguard.contract.datasets.stages import DatasetStage

REPEATS = ("repeat", "shuffle_and_repeat")
_BATCHES = ("batch", "padded_batch")
_SAME_NUMBER = (
    "map",
    "shuffle",
    "cache",
    "snapshot",
    "prefetch",
    "with_options",
    "restructure",
    "to_ragged",
)
TRANSPARENT = (
    *_SAME_NUMBER,
    *REPEATS,
    *_BATCHES,
    "filter",
    "unbatch",
    "flat_map",
    "interleave",
    "group_by_window",
    "assert_cardinality",
    "map_and_batch",
    "window",
)
"""Stages behind which a repeat below them still means: the same data again."""


def repeats(stage: DatasetStage) -> bool:
    """Whether the data come again, because of a repeat on the way to the source."""
    while stage.name in TRANSPARENT:
        if stage.name in REPEATS and stage.count not in (0, 1):
            return True
        if not stage.inputs:
            return False
        stage = stage.inputs[0]
    return False


def one_pass(stage: DatasetStage) -> int | None:
    """The number of elements after which the data come again; None where that is not known."""
    sources = stage.inputs
    if stage.name in REPEATS or stage.name in _SAME_NUMBER:
        return one_pass(sources[0])
    if stage.name in _BATCHES:
        return _count_batches(stage, one_pass(sources[0]))
    if stage.name == "enumerate":
        return one_pass(sources[1])
    total = stage.elements
    if total != -1 or not sources:
        return total if total is not None and total >= 0 else None
    passes = [one_pass(source) for source in sources if source.elements is not None]
    known = [length for length in passes if length is not None]
    if stage.name == "zip" and len(known) == len(sources):
        return max(known)
    if stage.name == "choose_from_datasets" and len(known) >= len(sources) - 1:
        return sum(known)
    return None


def _count_batches(stage: DatasetStage, samples: int | None) -> int | None:
    size = stage.batch_size
    if samples is None or not size:
        return None
    full = stage.drop_remainder and not repeats(stage.inputs[0])
    return samples // size if full else -(-samples // size)
