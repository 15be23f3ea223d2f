"""The validation data have values or labels of another range than the training data."""

from collections.abc import Iterator

from fitguard.checks.data.derived.counterparts import Counterparts
from fitguard.checks.data.derived.losses import LabelKind, label_kind
from fitguard.checks.data.derived.wording import (
    among,
    first_at,
    format_field,
    number,
    quote_field,
    spots,
)
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field, Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts

# Values of both signs and up to this are what scaling and standardising give.
_SCALED = 20.0
_RATIO = 50.0
_FEWEST_SAMPLES = 10
# A rare class may lie in the smaller part alone by chance.
_RARE = 0.02
_LISTED = 5


@check("FG663", "validation-range", requires={"FG625"})
def validation_range(
    counterparts: tuple[Counterparts, ...], model: ModelFacts, training: Training
) -> Iterator[Finding]:
    """
    ## What it means
    The validation data do not look like the training data: their values are fifty times as large or
    as small, as if one part was scaled and the other was not; or they have labels that the model
    was never shown, or that its output does not have.

    ## Why training crashes
    Values of another scale raise nothing: the model gets what it never saw, `val_loss` is a large
    number without a meaning, and EarlyStopping, ReduceLROnPlateau or the choice of the best
    checkpoint follow it. Labels that training never shows count as errors forever. With
    `validation_split` on arrays that are sorted by label that happens to all of them:
    `val_accuracy` stays at 0.0, because fit takes the last part before it shuffles. A label outside
    the output's classes stops the evaluation after the first epoch on the CPU (*Received a label
    value of 4 which is outside the valid range of [0, 4)*); on a GPU `val_loss` is nan.

    ## How to fix it
    Scale both parts with the same code and the same figures (of the training data). Split after
    shuffling, so that each class is in both parts.

    ## When this is wrong
    With a few very large values in one part only, the range says little of the rest. A validation
    set of new classes on purpose (open-set tests) has labels that training lacks. Classes with less
    than 2 % of the validation labels are not counted: chance puts them there.

    ## References
    - Keras: `Model.fit`, arguments `validation_data` and `validation_split`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU; the nan on a GPU is known from labels of
      the training data
    """
    for trained, validated in counterparts:
        if trained.role == "x":
            found = _scale(trained, validated, model)
        elif trained.role == "y":
            found = _outside(trained, validated, model) or _unknown(
                trained, validated, model, training
            )
        else:
            found = None
        if found is not None:
            yield found


def _scale(trained: Field, validated: Field, model: ModelFacts) -> Finding | None:
    given = next((item for item in model.inputs or () if item.name == trained.target), None)
    if given is not None and (given.tables or given.mask_value is not None):
        return None
    was, now = _magnitude(trained), _magnitude(validated)
    if not was or not now or min(trained.samples_seen, validated.samples_seen) < _FEWEST_SAMPLES:
        return None
    if not (was <= _SCALED and now >= _RATIO * was) and not (now <= 1 and was >= _RATIO * now):
        return None
    raw, scaled = ("validation", "training") if now > was else ("training", "validation")
    factor = max(was, now) / min(was, now)
    return Finding(
        severity="warning",
        title=f"{trained.name} reaches {now:g} in the validation data and {was:g} in the training "
        f"data: a factor of {factor:.0f}",
        evidence=(quote_field(validated), quote_field(trained)),
        fix=Fix(
            f"It looks as if the {scaled} data were scaled and the {raw} data were not. Prepare "
            f"both with the same code and the same figures.",
            changes_results=True,
        ),
    )


def _magnitude(field: Field) -> float | None:
    if field.minimum is None or field.maximum is None:
        return None
    return max(abs(field.minimum), abs(field.maximum))


def _outside(trained: Field, validated: Field, model: ModelFacts) -> Finding | None:
    """Labels that the loss cannot read; those of the training data have checks of their own."""
    if model.custom_step or not validated.outside.count or trained.outside.count:
        return None
    if _kind(trained, model) not in {"classes", "binary", "signs"}:
        return None
    limits = " to ".join("…" if limit is None else f"{limit:g}" for limit in validated.allowed)
    return Finding(
        title=f"{number(validated.outside.count, 'label')} in {validated.name} of the validation "
        f"data lie outside {limits} ({among(validated)}){first_at(validated.outside)}",
        evidence=(
            *spots(validated, validated.outside),
            quote_field(validated),
            quote_field(trained),
        ),
        fix=Fix(
            f"The loss of {validated.target} reads labels from {limits}. Number the validation "
            "labels as those of the training data."
        ),
    )


def _unknown(
    trained: Field, validated: Field, model: ModelFacts, training: Training
) -> Finding | None:
    """Classes that only the validation data have."""
    if model.custom_step or _kind(trained, model) not in {"classes", "one_hot"}:
        return None
    known = _all_classes(trained)
    if known is None or validated.labels is None:
        return None
    new = [entry for entry in validated.labels.counts if entry.value not in known]
    count = sum(entry.count for entry in new)
    if count < _RARE * sum(entry.count for entry in validated.labels.counts) or not new:
        return None
    listed = ", ".join(_class(entry.value) for entry in new[:_LISTED])
    more = f" and {len(new) - _LISTED} more" if len(new) > _LISTED else ""
    fix = "Split after shuffling, so that each class is in both parts."
    if training.validation_split:
        fix = (
            f"validation_split={training.validation_split:g} takes the last samples as they lie. "
            "Shuffle x and y together before fit: order = numpy.random.permutation(len(x)); "
            "x[order], y[order]."
        )
    return Finding(
        severity="warning",
        title=f"{number(count, 'validation label')} in {validated.name} ({among(validated)}) have "
        f"classes that the training data never show: {listed}{more}",
        evidence=(
            Evidence(
                f"classes {listed}{more}, in the validation data only", format_field(validated)
            ),
            Evidence(f"{len(known)} classes", trained.name),
        ),
        fix=Fix(fix, changes_results=True),
    )


def _kind(field: Field, model: ModelFacts) -> LabelKind | None:
    output = next((item for item in model.outputs or () if item.name == field.target), None)
    return None if output is None else label_kind(output.loss)


def _all_classes(field: Field) -> set[float | str] | None:
    """Every class of a field; None where not all samples were read, or not all classes listed."""
    labels = field.labels
    if labels is None or field.samples is None or field.samples_seen < field.samples:
        return None
    if labels.distinct is None or labels.distinct != len(labels.counts):
        return None
    return {entry.value for entry in labels.counts}


def _class(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
