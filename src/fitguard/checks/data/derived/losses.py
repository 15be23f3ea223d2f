"""What labels each loss of Keras reads, and which values of them it can read.

A loss of the user's own, and one that is not in the table, reads what nobody knows: nothing is
claimed about its labels.
"""

from typing import Literal

from fitguard.schema.model import Loss, ModelOutput

LabelKind = Literal["classes", "one_hot", "binary", "signs", "values"]
"""
- classes: the number of a class, counted from 0
- one_hot: a share for each class along the last axis
- binary: 0 or 1, or a probability, for each unit
- signs: -1 or 1 for each unit; Keras reads 0 and 1 as such
- values: any number for each unit
"""

_KINDS: dict[str, LabelKind] = {
    "sparse_categorical_crossentropy": "classes",
    "categorical_crossentropy": "one_hot",
    "categorical_focal_crossentropy": "one_hot",
    "categorical_generalized_cross_entropy": "one_hot",
    "categorical_hinge": "one_hot",
    "kl_divergence": "one_hot",
    "binary_crossentropy": "binary",
    "binary_focal_crossentropy": "binary",
    "dice": "binary",
    "tversky": "binary",
    "hinge": "signs",
    "squared_hinge": "signs",
    "mean_squared_error": "values",
    "mean_absolute_error": "values",
    "mean_absolute_percentage_error": "values",
    "mean_squared_logarithmic_error": "values",
    "huber": "values",
    "log_cosh": "values",
    "poisson": "values",
    "cosine_similarity": "values",
}
# These compare labels and output themselves, and raise where the shapes differ.
_EXACT = ("sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy")
_WITH_LOGITS = (*_EXACT, "categorical_focal_crossentropy", "binary_focal_crossentropy")
_ALWAYS_PROBABILITIES = ("kl_divergence", "categorical_generalized_cross_entropy")


def loss_class(loss: Loss) -> str:
    """The class of a loss of Keras: `SparseCategoricalCrossentropy`."""
    return "".join(part.capitalize() for part in loss.name.split("_"))


def label_kind(loss: Loss | None) -> LabelKind | None:
    """What labels a loss reads; None where that is not known."""
    return None if loss is None or loss.custom else _KINDS.get(loss.name)


def units(output: ModelOutput) -> int | None:
    """The length of the last axis of an output; None where it is not known, or has no axis."""
    if output.shape is None:
        return output.units
    return output.shape[-1] if len(output.shape) > 1 else None


def find_label_limits(output: ModelOutput) -> tuple[float | None, float | None]:
    """The lowest and the highest label that the loss of an output can read; None: no limit.

    The `ignore_class` of a loss may lie outside.

    Example:
        >>> from fitguard.schema.model import Loss, ModelOutput
        >>> loss = Loss(name="sparse_categorical_crossentropy")
        >>> find_label_limits(ModelOutput(name="digit", shape=(None, 10), loss=loss))
        (0.0, 9.0)
    """
    kind = label_kind(output.loss)
    if kind == "classes":
        number = units(output)
        return 0.0, None if number is None else number - 1.0
    if kind == "binary":
        return 0.0, 1.0
    if kind == "signs":
        return -1.0, 1.0
    return None, None


def compares_shapes(loss: Loss) -> bool:
    """Whether the loss itself raises where labels and output differ in shape, in Keras 3."""
    return not loss.custom and loss.name in _EXACT


def reads_probabilities(loss: Loss) -> bool | None:
    """Whether the loss takes the output for probabilities, not logits; None where for neither."""
    if loss.custom:
        return None
    if loss.name in _ALWAYS_PROBABILITIES:
        return True
    return not loss.from_logits if loss.name in _WITH_LOGITS else None


def finds_logits(loss: Loss) -> bool:
    """Whether Keras 3, on TensorFlow, looks behind a last softmax or sigmoid for the logits."""
    return compares_shapes(loss)


def reads_logarithm(loss: Loss) -> bool:
    """Whether the loss takes the logarithm of the output as it is."""
    return not loss.custom and loss.name == "poisson"
