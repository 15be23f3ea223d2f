"""What a strategy does with the batches that `fit` gets."""

from packaging.version import Version

from fitguard.contract.libraries import Library
from fitguard.schema.data import Source
from fitguard.schema.finding import Evidence
from fitguard.schema.model import ModelFacts

_FIRST_THAT_DRAWS = Version("3.5")


def draws_to_build(model: ModelFacts) -> bool:
    """Whether Keras draws a batch before the first step, only to see its shape.

    `fit`, `evaluate` and `predict` of Keras 3.5 and newer do so for a model that was made under a
    strategy. With several replicas, the parts of that batch are averaged: they must be alike.
    """
    library = Library.parse(model.library)
    under = model.strategy is not None or model.replicas > 1
    return under and library.generation == 3 and _is_late(library.version)


def _is_late(version: str) -> bool:
    return not version or Version(version).release >= _FIRST_THAT_DRAWS.release


def first_batch_size(source: Source) -> int | None:
    """The samples in the first batch; None where it is not known."""
    if source.batch_size is None or source.samples is None:
        return source.batch_size
    return min(source.batch_size, source.samples)


def quote_strategy(model: ModelFacts) -> Evidence:
    """What the model was made under: `MirroredStrategy, 2 replicas`."""
    replicas = "1 replica" if model.replicas == 1 else f"{model.replicas} replicas"
    return Evidence(f"{model.strategy or 'strategy'}, {replicas}", "model, distribution strategy")
