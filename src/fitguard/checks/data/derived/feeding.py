"""Whether the parts of x are as many as the inputs, and go to them."""

from typing import NamedTuple

from fitguard.checks.data.derived.pairs import training_fields
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.model import ModelInput


class Feeding(NamedTuple):
    """What is amiss between parts of x and inputs.

    Args:
        missing: Inputs that get nothing, and need something.
        surplus: Parts that go nowhere.
        by_key: Whether the parts are a dict, in which others may stand beside.
    """

    missing: tuple[ModelInput, ...] = ()
    surplus: tuple[Field, ...] = ()
    by_key: bool = False

    @property
    def refused(self) -> bool:
        """Whether `fit` stops because of it."""
        return bool(self.missing or (self.surplus and not self.by_key))


def feeding(data: DataFacts) -> Feeding:
    """Compare parts and inputs; nothing is amiss where the inputs are not known.

    A `train_step` of the user's own may make the inputs of something else.
    """
    inputs, given = data.model.inputs, training_fields(data, "x")
    if data.model.custom_batches:
        return Feeding()
    if inputs is None or data.model.kind == "subclassed" or not data.model.built or not given:
        return Feeding()
    targets = {field.target for field in given}
    return Feeding(
        tuple(item for item in inputs if item.name not in targets and not item.optional),
        tuple(field for field in given if field.target is None),
        any(field.name.startswith("x['") for field in given),
    )
