"""Ways through a `tf.data` pipeline, and what its stages hold."""

from collections.abc import Iterator
from typing import NamedTuple

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence
from fitguard.schema.pipeline import Pipeline, Stage

BATCHES = {"batch", "padded_batch", "map_and_batch", "to_ragged", "sparse_batch", "rebatch"}
SHUFFLES = {"shuffle", "shuffle_and_repeat", "global_shuffle"}
# Stages that give on as many bytes as they get.
_SAME_SIZE = {"shuffle", "batch", "prefetch", "cache", "unbatch", "rebatch", "with_options"}
# Stages that leave the batches as they are.
_SAME_BATCHES = {"map", "prefetch", "repeat", "shuffle", "cache", "with_options", "snapshot"}


class Piped(NamedTuple):
    """A split whose samples come out of a pipeline."""

    source: Source
    pipeline: Pipeline


@fixture
def piped(data: DataFacts) -> tuple[Piped, ...]:
    """The splits that are read from a pipeline."""
    found = tuple(
        Piped(source, source.pipeline) for source in data.sources if source.pipeline is not None
    )
    if not found:
        raise Missing("the data are no tf.data.Dataset")
    return found


@fixture
def training_pipeline(training_source: Source) -> Pipeline:
    """The pipeline of the training data."""
    if training_source.pipeline is None:
        raise Missing("the training data are no tf.data.Dataset")
    return training_source.pipeline


def upstream(pipeline: Pipeline, number: int) -> Iterator[int]:
    """The numbers of all stages that a stage reads from, the nearest first."""
    waiting, seen = list(pipeline.stages[number].inputs), set[int]()
    while waiting:
        found = waiting.pop(0)
        if found not in seen:
            seen.add(found)
            yield found
            waiting.extend(pipeline.stages[found].inputs)


def downstream(pipeline: Pipeline, number: int) -> Iterator[int]:
    """The numbers of all stages that a stage's elements go through, the nearest first."""
    reached = {number}
    for later in range(number + 1, len(pipeline.stages)):
        if reached.intersection(pipeline.stages[later].inputs):
            reached.add(later)
            yield later


def only_input(pipeline: Pipeline, number: int) -> int | None:
    """The one stage that a stage reads; None for a source, and where there are several."""
    inputs = pipeline.stages[number].inputs
    return inputs[0] if len(inputs) == 1 else None


def elements_read(pipeline: Pipeline, number: int) -> int | None:
    """How many elements come into a stage; -1 endless, None unknown."""
    source = only_input(pipeline, number)
    return None if source is None else pipeline.stages[source].elements


def total_bytes(pipeline: Pipeline, number: int) -> int | None:
    """The size of all that a stage yields; None where it is not known, or never ends."""
    stage = pipeline.stages[number]
    if stage.elements == -1:
        return None
    if stage.elements is not None and stage.element_bytes is not None:
        return stage.elements * stage.element_bytes
    source = only_input(pipeline, number)
    if stage.name not in _SAME_SIZE or source is None:
        return None
    return total_bytes(pipeline, source)


def last_batch_stage(pipeline: Pipeline) -> int | None:
    """The stage that makes the batches that `fit` gets; None where they are changed after it."""
    number: int | None = len(pipeline.stages) - 1
    while number is not None and pipeline.stages[number].name in _SAME_BATCHES:
        number = only_input(pipeline, number)
    if number is None or pipeline.stages[number].name not in {"batch", "padded_batch"}:
        return None
    return number


def format_stage(stage: Stage) -> str:
    """As it would be written: `shuffle(1000)`, `batch(32, drop_remainder=True)`, `map(load)`."""
    if stage.name in BATCHES and stage.batch_size is not None:
        remainder = ", drop_remainder=True" if stage.drop_remainder else ""
        return f"{stage.name}({stage.batch_size}{remainder})"
    if stage.name in SHUFFLES and stage.buffer_size is not None:
        return f"{stage.name}({stage.buffer_size})"
    if stage.name in {"repeat", "take", "skip"} and stage.count is not None:
        return f"{stage.name}({'' if stage.count == -1 else stage.count})"
    if stage.name == "cache":
        return f"cache({stage.filename!r})" if stage.filename else "cache()"
    return f"{stage.name}({stage.function or ''})"


def chain(pipeline: Pipeline, split: str = "training") -> Evidence:
    """The whole pipeline, as it would be written."""
    steps = " → ".join(format_stage(stage) for stage in pipeline.stages)
    return Evidence(steps, f"{split} data, tf.data pipeline")
