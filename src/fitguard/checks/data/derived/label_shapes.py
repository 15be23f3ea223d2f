"""How the shape of labels and the shape of an output meet in the loss.

The rules were found by experiment with Keras 3.15 and tf_keras 2.21:

- Where the ranks differ by one and the last axis of the longer one is 1, Keras drops or adds it.
- The crossentropies (but the focal ones) then compare the shapes, and raise where they differ.
- The other losses compute with them as they are. NumPy's rules let some differing shapes pass
  (*broadcasting*): an axis of 1 is repeated, a missing first axis is added. Nothing is said.
- tf_keras first makes `(n, 1)` of labels `(n,)`; Keras 3 does so for outputs `(n, 1)` only.
"""

from typing import Literal

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.losses import compares_shapes, label_kind, units
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.schema.model import ModelFacts, Shape

Meeting = Literal["same", "broadcast", "fails"]
Fault = Literal["one_hot", "classes", "units", "broadcast", "shape"]

# Of fewer different labels it is not clear what they are.
_TOLD_BY = 3
# Stands for the length of the batch, which equals no other length.
_BATCH = -1


def shape_fault(item: Labelled, model: ModelFacts) -> Fault | None:
    """What is wrong with the shape of labels; None where nothing is, or too little is known.

    Returns:
        one_hot: one-hot labels for a loss that reads class numbers. classes: the reverse. units:
        one 0 or 1 for each sample, and a binary loss on several units. broadcast: the shapes
        differ, and the loss computes all the same. shape: they differ, and training raises.
    """
    if item.output.shape is None:
        return _fault_by_labels(item)
    meeting = judge_shapes(item, model)
    if meeting in (None, "same"):
        return None
    kind, several = label_kind(item.loss), (units(item.output) or 0) > 1
    if kind == "classes":
        return "one_hot" if several and _looks_one_hot(item) else "shape"
    if several and _one_number(item):
        if kind == "one_hot":
            return "classes"
        if kind == "binary":
            return "units"
    return "broadcast" if meeting == "broadcast" else "shape"


def _fault_by_labels(item: Labelled) -> Fault | None:
    """What labels alone tell, where the shape of the output is not known (a subclassed model)."""
    kind, labels = label_kind(item.loss), item.field.labels
    if labels is None or (labels.distinct or 0) < _TOLD_BY:
        return None
    if kind == "one_hot" and item.field.shape in ((), (1,)) and labels.integral:
        return "classes"
    rows = len(item.field.shape) == 1 and item.field.shape != (1,)
    return "one_hot" if kind == "classes" and rows and labels.one_hot else None


def judge_shapes(item: Labelled, model: ModelFacts) -> Meeting | None:
    """What the loss makes of the two shapes; None where too little is known."""
    kind, output = label_kind(item.loss), item.output.shape
    if kind is None or output is None:
        return None
    if kind == "classes":
        return _meets_classes((_BATCH, *item.field.shape), (_BATCH, *output[1:]))
    labels, values, squeezed = _align_shapes(item, model)
    if _equal(labels, values):
        return "same"
    exact = compares_shapes(item.loss)
    if is_keras_2(model) and squeezed and item.loss.name == "binary_crossentropy":
        exact = False
    return "broadcast" if not exact and _broadcasts(labels, values) else "fails"


def mixes_samples(item: Labelled, model: ModelFacts) -> bool:
    """Whether, where the shapes broadcast, the batch of one meets another axis of the other."""
    labels, values, _ = _align_shapes(item, model)
    return len(labels) != len(values)


def _meets_classes(labels: Shape, values: Shape) -> Meeting:
    if len(labels) == len(values) and labels[-1] == 1:
        labels = labels[:-1]
    return "same" if _equal(labels, values[:-1]) else "fails"


def _align_shapes(item: Labelled, model: ModelFacts) -> tuple[Shape, Shape, bool]:
    """Both shapes as Keras brings them to the same rank, and whether the output lost an axis."""
    labels, values = (_BATCH, *item.field.shape), (_BATCH, *(item.output.shape or ())[1:])
    if is_keras_2(model) and len(labels) == 1 and len(values) == 2:
        labels = (*labels, 1)
    if len(labels) == len(values) + 1 and labels[-1] == 1:
        return labels[:-1], values, False
    if len(values) == len(labels) + 1 and values[-1] == 1:
        return labels, values[:-1], True
    return labels, values, False


def _equal(labels: Shape, values: Shape) -> bool:
    """Whether all axes are equal; one that is open equals any."""
    return len(labels) == len(values) and all(
        one == other or None in (one, other) for one, other in zip(labels, values, strict=True)
    )


def _broadcasts(labels: Shape, values: Shape) -> bool:
    pairs = zip(reversed(labels), reversed(values), strict=False)
    return all(one == other or None in (one, other) or 1 in (one, other) for one, other in pairs)


def _looks_one_hot(item: Labelled) -> bool:
    field = item.field
    same_rank = len(field.shape) + 1 == len(item.output.shape or ())
    return same_rank and field.labels is not None and field.labels.one_hot is True


def _one_number(item: Labelled) -> bool:
    """Whether labels are whole numbers, one where the output has a whole row of units."""
    field, rows = item.field, (item.output.shape or ())[1:-1]
    whole = field.labels is not None and field.labels.integral is True
    return whole and (_equal(field.shape, rows) or _equal(field.shape, (*rows, 1)))
