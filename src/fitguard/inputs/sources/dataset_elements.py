"""The fields of a dataset's elements, and whether each element is a batch."""

from typing import Any

from fitguard.inputs.sources.matching import find_port
from fitguard.inputs.sources.structure import Leaf, leaves, unpack_element
from fitguard.schema.model import ModelFacts, ModelInput
from fitguard.schema.pipeline import Pipeline

_BATCHING = {"batch", "map_and_batch", "padded_batch", "rebatch", "sparse_batch"}


def is_batched(spec: Any, pipeline: Pipeline, model: ModelFacts) -> bool | None:
    """Whether elements are batches: by the stages, else by comparing ranks with the model.

    None where neither tells.
    """
    changes = [stage.name for stage in pipeline.stages if stage.name in {*_BATCHING, "unbatch"}]
    if changes:
        return changes[-1] != "unbatch"
    if any(_rank(leaf) == 0 for leaf in fields(spec)):
        return False
    verdicts = set()
    for leaf in inputs(spec):
        rank = _rank(leaf)
        target = find_port(model, "x", leaf.key)
        if isinstance(target, ModelInput) and target.shape is not None and rank is not None:
            # Keras adds a last axis of length 1: one axis less may still be a batch.
            added = target.shape[-1:] == (1,) and rank == len(target.shape) - 1
            verdicts.add(None if added else rank >= len(target.shape))
    return verdicts.pop() if len(verdicts) == 1 else None


def fields(spec: Any) -> tuple[Leaf, ...]:
    """The fields; none where elements are nothing that `fit` takes, which reading tells."""
    try:
        return tuple(
            leaf for role, part in unpack_element(spec).parts() for leaf in leaves(part, role)
        )
    except ValueError:
        return ()


def inputs(spec: Any) -> tuple[Leaf, ...]:
    """The fields of x."""
    return tuple(leaf for leaf in fields(spec) if leaf.name.startswith("x"))


def _rank(leaf: Leaf) -> int | None:
    shape = getattr(leaf.value, "shape", None)
    return getattr(shape, "rank", None)
