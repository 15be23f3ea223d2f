"""Fields of the training data, each with its counterpart in the validation data."""

from typing import NamedTuple

from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.data import DataFacts, Field


class Counterparts(NamedTuple):
    """The same field in both splits."""

    training: Field
    validation: Field


@fixture
def counterparts(data: DataFacts) -> tuple[Counterparts, ...]:
    """The fields that both splits have."""
    if not any(field.split == "validation" for field in data.fields):
        raise Missing("no validation data was given, or nothing of it was read")
    return tuple(
        Counterparts(field, other)
        for field in data.fields
        if field.split == "training" and (other := _counterpart(data, field)) is not None
    )


@fixture
def lacking(data: DataFacts, counterparts: tuple[Counterparts, ...]) -> tuple[Field, ...]:
    """The training fields that the validation data lack; sample weights may be lacking."""
    there = [pair.training for pair in counterparts]
    return tuple(
        field
        for field in data.fields
        if field.split == "training" and field.role != "sample_weight" and field not in there
    )


def _counterpart(data: DataFacts, field: Field) -> Field | None:
    others = [
        item for item in data.fields if item.split == "validation" and item.role == field.role
    ]
    for other in others:
        if field.target is not None and other.target == field.target:
            return other
    return next((other for other in others if other.name == field.name), None)
