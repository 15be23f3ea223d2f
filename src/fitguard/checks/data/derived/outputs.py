"""Outputs of the model, each with its loss; and the classes that were seen for one."""

from typing import NamedTuple

from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.schema.data import ClassCount
from fitguard.schema.model import Loss, ModelFacts, ModelOutput


class Trained(NamedTuple):
    """An output, and the loss that trains it."""

    output: ModelOutput
    loss: Loss


@fixture
def trained(model: ModelFacts) -> tuple[Trained, ...]:
    """The outputs that have a loss."""
    if model.custom_step:
        raise Missing("the model computes its loss in code of its own")
    if model.outputs is None:
        raise Missing("the model does not tell its outputs (it is not built, or subclassed)")
    return tuple(Trained(item, item.loss) for item in model.outputs if item.loss is not None)


def classes_of(item: Labelled) -> tuple[ClassCount, ...]:
    """How often each class was seen, most frequent first; empty where a sample has not one class.

    A label is a class where the loss reads whole numbers, one-hot rows, or one 0 or 1 a sample. The
    class that the loss ignores is left out.
    """
    labels, kind = item.field.labels, label_kind(item.loss)
    if labels is None or kind not in ("classes", "one_hot", "binary") or not labels.integral:
        return ()
    one_a_sample = item.field.shape in ((), (1,))
    if not one_a_sample and not (labels.one_hot and len(item.field.shape) == 1):
        return ()
    return tuple(each for each in labels.counts if each.value != item.loss.ignore_class)
