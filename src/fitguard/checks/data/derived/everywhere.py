"""Fields of training and validation alike: what is wrong in either stops or spoils the run."""

from typing import NamedTuple

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.pairs import Fed, fields
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.model import ModelOutput


class Weighted(NamedTuple):
    """Sample weights, and the outputs that they count for."""

    field: Field
    outputs: tuple[ModelOutput, ...]


@fixture
def seen_fields(data: DataFacts) -> tuple[Field, ...]:
    """The fields of which something was read."""
    seen = tuple(field for field in data.fields if field.samples_seen)
    if not seen:
        raise Missing("nothing of the data was read")
    return seen


@fixture
def fed_everywhere(data: DataFacts) -> tuple[Fed, ...]:
    """The fields of both splits that go to an input of the model."""
    if data.model.inputs is None:
        raise Missing("the model does not tell its inputs (it is not built, or subclassed)")
    by_name = {item.name: item for item in data.model.inputs}
    return tuple(
        Fed(field, by_name[field.target])
        for field in data.fields
        if field.role == "x" and field.target in by_name
    )


@fixture
def weights(data: DataFacts) -> tuple[Field, ...]:
    """The sample weights of training."""
    if data.model.custom_batches:
        raise Missing("the model takes batches apart in code of its own")
    found = fields(data, "training", "sample_weight")
    if not found:
        raise Missing("no sample weights are given")
    if feeding(data).refused:
        raise Missing("the parts of x are not those of the inputs: FG604")
    return found


@fixture
def weighted(data: DataFacts, weights: tuple[Field, ...]) -> tuple[Weighted, ...]:
    """The sample weights of training, each with its outputs; a single one counts for them all."""
    outputs = data.model.outputs
    if outputs is None:
        raise Missing("the model does not tell its outputs (it is not built, or subclassed)")
    if data.model.custom_step:
        raise Missing("the model computes its loss in code of its own")
    if len(weights) == 1 and weights[0].target is None:
        return (Weighted(weights[0], outputs),)
    return tuple(
        Weighted(field, tuple(output for output in outputs if output.name == field.target))
        for field in weights
    )
