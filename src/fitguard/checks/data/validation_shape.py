"""The validation data have another shape or dtype than the training data."""

from collections.abc import Iterator

from fitguard.checks.data.derived.counterparts import Counterparts
from fitguard.checks.data.derived.input_shapes import fits
from fitguard.checks.data.derived.wording import format_batch_shape, format_field, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts, Shape

_INTEGERS, _FLOATS = ("int", "uint"), ("float", "bfloat")
_NUMBERS = (*_INTEGERS, *_FLOATS, "bool", "complex")


@check("FG662", "validation-shape")
def validation_shape(
    counterparts: tuple[Counterparts, ...], lacking: tuple[Field, ...], model: ModelFacts
) -> Iterator[Finding]:
    """
    ## What it means
    The model was made for the training data. The validation data differ from them: in the shape of
    a sample, in their dtype, or a part is not there at all.

    ## Why training crashes
    The first epoch runs to its end, then the evaluation stops: *expected axis -1 of input shape to
    have value 3, but received input with shape (32, 2)*; *Argument `output` must have rank (ndim)
    `target.ndim - 1`* for one-hot labels beside class numbers; *Invalid dtype: object* for text and
    objects; *None values not supported* where labels lack. An epoch is lost, and the model with it,
    if nothing saved it. Integers beside training floats raise nothing, but a cast that cut the
    fractions off makes every figure of the validation worthless.

    ## How to fix it
    Prepare both parts with the same code: one function, called for each.

    ## When this is wrong
    An axis that the model leaves open may differ, such as the length of texts: this check says
    nothing of it. `(n,)` beside `(n, 1)` is the same to Keras. Integers can be right where the
    model rescales by itself; then cast them to the dtype of the training data to be sure.

    ## References
    - Keras: `Model.fit`, argument `validation_data`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for field in lacking:
        if field.role == "y" and model.custom_step:
            continue
        yield Finding(
            title=f"The validation data have no {field.name}",
            evidence=(quote_field(field),),
            fix=Fix(f"Give the validation data {field.name} too, as the training data have it."),
        )
    for training, validation in counterparts:
        if training.role != "sample_weight":
            found = _shape(training, validation, model) or _dtype(training, validation, model)
            if found is not None:
                yield found


def _shape(training: Field, validation: Field, model: ModelFacts) -> Finding | None:
    if _same(training.shape, validation.shape) or not _matters(training, validation, model):
        return None
    return Finding(
        title=f"{validation.name} has shape {format_batch_shape(validation.shape)} in the "
        f"validation data and {format_batch_shape(training.shape)} in the training data",
        evidence=(quote_field(validation), quote_field(training)),
        fix=Fix(
            f"Bring the samples of {format_field(validation)} to the shape "
            f"{format_batch_shape(training.shape)}, with the same code as the training data."
        ),
    )


def _matters(training: Field, validation: Field, model: ModelFacts) -> bool:
    if training.role == "y":
        return not model.custom_step
    given = next((item for item in model.inputs or () if item.name == validation.target), None)
    if given is not None and given.shape is not None:
        return fits(training.shape, given) and not fits(validation.shape, given)
    # A subclassed model: most layers bind the rank and the last axis, few bind the others.
    one, other = training.shape, validation.shape
    return len(one) != len(other) or not _same(one[-1:], other[-1:])


def _same(one: Shape, other: Shape) -> bool:
    """Whether two samples have the same shape; open axes equal any, a last axis of 1 none."""
    one, other = _without_last_one(one), _without_last_one(other)
    return len(one) == len(other) and all(
        a == b or None in (a, b) for a, b in zip(one, other, strict=True)
    )


def _without_last_one(shape: Shape) -> Shape:
    return shape[:-1] if shape and shape[-1] == 1 else shape


def _dtype(training: Field, validation: Field, model: ModelFacts) -> Finding | None:
    was, now = training.dtype, validation.dtype
    if was.startswith(_NUMBERS) and not now.startswith((*_NUMBERS, "unknown")):
        severity, harm = "error", "which the model cannot read"
    elif training.role == "x" and was.startswith(_FLOATS) and now.startswith(_INTEGERS):
        if any(item.tables for item in model.inputs or () if item.name == validation.target):
            return None
        severity, harm = "warning", "without the fractions"
    else:
        return None
    return Finding(
        severity="error" if severity == "error" else "warning",
        title=f"{validation.name} is {now} in the validation data, {harm}; the training data are "
        f"{was}",
        evidence=(
            quote_field(validation),
            quote_field(training),
            *(Evidence(example, format_field(validation)) for example in validation.examples[:3]),
        ),
        fix=Fix(
            f"Prepare {format_field(validation)} as the training data were, and give it as {was}.",
            changes_results=severity == "warning",
        ),
    )
