"""The training data come sorted by label, and nothing mixes them."""

from fitguard.checks.data.derived.order import SORTED_BELOW, Mixing, mixing
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.pipelines import SHUFFLES
from fitguard.checks.data.derived.wording import among
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Source, Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG679", "labels-sorted", requires={"FG663"})
def labels_sorted(
    labelled: tuple[Labelled, ...], training_source: Source, training: Training, model: ModelFacts
) -> Finding | None:
    """
    ## What it means
    Samples that follow each other have the same label nearly always: the data come class by class,
    and reach the model in this order.

    ## Why training crashes
    It does not, it learns worse: each step sees one class and pulls the model to it, and the last
    class of the epoch is remembered best. The loss falls within a class and jumps at the next; at
    the end of an epoch it looks better than the model is. `validation_split` cuts the last samples
    off before anything is shuffled: of sorted data, it takes the last classes away from training,
    and measures on nothing else.

    ## How to fix it
    Arrays: leave `shuffle=True`, as it is by default. tf.data: `.shuffle(len(x))` before `.batch`.
    A generator or PyDataset: draw the samples in a new random order in each epoch. `fit` mixes
    neither of these by itself.

    ## When this is wrong
    Series whose order matters (a stateful RNN) must not be shuffled; with such a layer this check
    says nothing. Neighbors of a time series may have equal labels for long: shuffle the windows,
    if each stands for itself.

    ## References
    - Keras: `Model.fit`, argument `shuffle`: it is ignored for datasets and generators
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    mixed = _is_mixed_later(training_source, training)
    cut = training_source.kind == "arrays" and training.validation_split > 0
    if model.batch_bound is not None or (mixed and not cut):
        return None
    order = mixing(labelled)
    if order is None or order.share >= SORTED_BELOW:
        return None
    labels = order.labels
    if cut:
        return _build_split_finding(order, training)
    return Finding(
        severity="warning",
        title=f"{order.field.name} comes sorted: only {labels.changes:,} of {labels.neighbours:,} "
        f"neighbors have different labels ({among(order.field)})",
        evidence=(
            Evidence(f"by chance {order.expected:,} would differ", order.field.name),
            Evidence(_order(training_source, training), "training data"),
        ),
        fix=Fix(_fix(training_source), changes_results=True),
    )


def _build_split_finding(order: Mixing, training: Training) -> Finding:
    """`validation_split` takes the end of the data, before anything is shuffled."""
    share, name, labels = training.validation_split, order.field.name, order.labels
    return Finding(
        severity="warning",
        title=f"{name} comes sorted, and validation_split={share:g} takes the end of it: training "
        "and validation see different classes",
        evidence=(
            Evidence(
                f"{labels.changes:,} of {labels.neighbours:,} neighbors differ, by chance "
                f"{order.expected:,} would",
                name,
            ),
            Evidence(f"validation_split={share:g}: the last samples, not shuffled", "fit"),
        ),
        fix=Fix(
            f"Shuffle x and {name} together before fit: order = numpy.random.permutation(len(x)); "
            f"x, {name} = x[order], {name}[order].",
            changes_results=True,
        ),
    )


def _is_mixed_later(source: Source, training: Training) -> bool:
    """Whether something mixes the samples after all; a weak shuffle has checks of its own."""
    if source.kind == "arrays":
        return training.shuffle
    stages = source.pipeline.stages if source.pipeline is not None else ()
    return any(stage.name in SHUFFLES for stage in stages)


def _order(source: Source, training: Training) -> str:
    if source.kind == "arrays":
        return f"fit is called with shuffle={training.shuffle}"
    if source.pipeline is not None:
        return "the tf.data pipeline has no shuffle"
    return f"{source.container}: fit takes the samples as they come"


def _fix(source: Source) -> str:
    if source.kind == "arrays":
        return "Leave shuffle=True, or shuffle x and y together before fit."
    if source.pipeline is not None:
        number = source.samples if source.samples is not None else "number of samples"
        return f"Write .shuffle({number}) before .batch."
    return "Yield the samples in a new random order in each epoch."
