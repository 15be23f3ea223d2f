"""Fields of the data, each with the input or output of the model that it goes to."""

from typing import NamedTuple

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.model import Loss, ModelFacts, ModelInput, ModelOutput


class Fed(NamedTuple):
    """A field of x, and the input that it goes to."""

    field: Field
    input: ModelInput


class Labelled(NamedTuple):
    """A field of y, and the output and loss that it goes to."""

    field: Field
    output: ModelOutput
    loss: Loss


@fixture
def model(data: DataFacts) -> ModelFacts:
    return data.model


@fixture
def fed(data: DataFacts) -> tuple[Fed, ...]:
    """The training fields that go to an input of the model."""
    if data.model.inputs is None:
        raise Missing("the model does not tell its inputs (it is not built, or subclassed)")
    by_name = {item.name: item for item in data.model.inputs}
    return tuple(
        Fed(field, by_name[field.target])
        for field in training_fields(data, "x")
        if field.target in by_name
    )


@fixture
def labelled(data: DataFacts) -> tuple[Labelled, ...]:
    """The training labels that go to an output whose loss is known."""
    if data.model.custom_step:
        raise Missing("the model computes its loss in code of its own")
    if data.model.outputs is None:
        raise Missing("the model does not tell its outputs (it is not built, or subclassed)")
    by_name = {item.name: item for item in data.model.outputs}
    return tuple(
        Labelled(field, output, output.loss)
        for field in training_fields(data, "y")
        if (output := by_name.get(field.target or "")) and output.loss is not None
    )


@fixture
def training_source(data: DataFacts) -> Source:
    """Where the training samples come from."""
    for source in data.sources:
        if source.split == "training":
            return source
    raise Missing("no training data was given")


@fixture
def validation_source(data: DataFacts) -> Source:
    """Where the validation samples come from."""
    for source in data.sources:
        if source.split == "validation":
            return source
    raise Missing("no validation data was given")


def training_fields(data: DataFacts, role: str) -> tuple[Field, ...]:
    """The training fields of a role: x, y or sample_weight."""
    return fields(data, "training", role)


def fields(data: DataFacts, split: str, role: str) -> tuple[Field, ...]:
    """The fields of a split and a role."""
    return tuple(item for item in data.fields if (item.split, item.role) == (split, role))
