"""The class weights do not fit the labels."""

from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.outputs import classes_of
from fitguard.checks.data.derived.pairs import Labelled, training_fields
from fitguard.checks.data.derived.wording import format_field, join_names
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence, Finding, Fix, Severity


@check("FG633", "class-weight")
def class_weight(
    data: DataFacts, labelled: tuple[Labelled, ...], training_source: Source
) -> Iterator[Finding]:
    """
    ## What it means
    `class_weight` gives each class a weight in the loss. Keras makes a weight of each sample from
    it: by its label, rounded, or, where labels have several columns, by the column with the highest
    value. That fits class numbers and one-hot rows. Here a class has no weight, a weight is
    negative, or the labels are of another kind.

    ## Why training crashes
    A class without weight counts 1.0 in Keras 3, without a word; from a `tf.data.Dataset`, and in
    tf_keras, the step stops in the graph (*indices[0] = 2 is not in [0, 2)*). A negative weight
    drives the loss of that class up without end. For quantities, and for several labels a sample,
    the weights fall on samples at random. For labels by time step the step stops with *Dimensions
    must be equal*. Keras 3 refuses `class_weight` for a generator, for several outputs, and beside
    `sample_weight`.

    ## How to fix it
    Give a weight above 0 for each class from 0 on. For all other kinds of labels compute a weight
    for each sample and give `fit` `sample_weight`.

    ## When this is wrong
    Where a class is meant to count 1.0 it can be left out in Keras 3, for arrays. Writing it out is
    clearer.

    ## References
    - Keras: `Model.fit`, arguments `class_weight` and `sample_weight`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    weights = data.training.class_weight
    if not weights:
        return
    given = Evidence(f"class_weight={_short(weights)}", "fit")
    refused = _find_refusal(data, training_source)
    if refused:
        yield _finding(f"class_weight is not taken {refused}", (given,), _BY_SAMPLE)
        return
    bad = sorted(key for key, weight in weights.items() if weight < 0)
    if bad:
        yield _finding(
            f"The class weight of {join_names(map(str, bad))} is negative: its loss is driven up",
            (given,),
            "Give each class a weight above 0.",
        )
    elif not any(weights.values()):
        yield _finding("All class weights are 0", (given,), "Give each class a weight above 0.")
    if len(labelled) == 1:
        yield from _against_labels(labelled[0], data, training_source, given)


_BY_SAMPLE = (
    "Leave class_weight out. Compute a weight for each sample, and give fit sample_weight (in a "
    "dataset or generator: the third part of what it yields)."
)


def _find_refusal(data: DataFacts, source: Source) -> str:
    if len(training_fields(data, "y")) > 1:
        return "for a model with several outputs"
    if is_keras_2(data.model):
        return ""
    if source.kind == "generator":
        return "for a generator"
    return "together with sample_weight" if training_fields(data, "sample_weight") else ""


def _against_labels(
    item: Labelled, data: DataFacts, source: Source, given: Evidence
) -> Iterator[Finding]:
    field, kind = item.field, label_kind(item.loss)
    weights = data.training.class_weight or {}
    if kind == "values":
        yield _finding(
            f"class_weight is given, but {field.name} holds quantities for {item.loss.name}",
            (given,),
            _BY_SAMPLE,
            severity="warning",
        )
    elif kind == "binary" and _several_labels(item):
        yield _finding(
            f"class_weight is given, but samples in {field.name} have {field.shape[-1]} labels at "
            "once: only the first that is highest is weighted",
            (given,),
            _BY_SAMPLE,
            severity="warning",
        )
    elif kind == "classes" and field.shape not in ((), (1,)):
        yield _finding(
            f"class_weight is given, but each sample in {field.name} has many labels",
            (given,),
            _BY_SAMPLE,
        )
    else:
        yield from _without_weight(item, weights, given, data, source)


def _several_labels(item: Labelled) -> bool:
    field = item.field
    return (
        len(field.shape) == 1
        and field.shape != (1,)
        and not (field.labels and field.labels.one_hot)
    )


def _without_weight(
    item: Labelled, weights: dict[int, float], given: Evidence, data: DataFacts, source: Source
) -> Iterator[Finding]:
    left_out = [each for each in classes_of(item) if each.value not in weights]
    if not left_out:
        return
    beyond = any(isinstance(each.value, float) and each.value > max(weights) for each in left_out)
    stops = is_keras_2(data.model) or (source.kind == "dataset" and beyond)
    values = [f"{each.value:g}" for each in left_out if isinstance(each.value, float | int)]
    many = sum(each.count for each in left_out)
    field = item.field
    yield _finding(
        f"{'Class' if len(values) == 1 else 'Classes'} {join_names(values)} of {field.name} "
        f"{'has' if len(values) == 1 else 'have'} no class weight"
        + ("" if stops else ", and will count 1.0"),
        (given, Evidence(f"{many:,} labels of {join_names(values)}", format_field(field))),
        f"Add {join_names(values)} to class_weight.",
        severity="error" if stops else "warning",
    )


def _short(weights: dict[int, float]) -> str:
    items = [f"{key}: {weight:g}" for key, weight in sorted(weights.items())]
    return f"{{{', '.join(items[:8])}{', …' if len(items) > 8 else ''}}}"


def _finding(
    title: str, evidence: tuple[Evidence, ...], fix: str, severity: Severity = "error"
) -> Finding:
    return Finding(
        severity=severity, title=title, evidence=evidence, fix=Fix(fix, changes_results=True)
    )
