"""All labels are the same class."""

from collections.abc import Iterator

from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, quote_field, was_fully_read
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelOutput

# Fewer samples than this may well be of one class by chance, or for a trial.
_FEWEST = 20
# Of a stream that was not read to its end, so many must agree.
_FEWEST_READ = 1000


@check("FG629", "single-class")
def single_class(labelled: tuple[Labelled, ...]) -> Iterator[Finding]:
    """
    ## What it means
    A model that tells classes apart needs at least two of them. Every label that was read is the
    same.

    ## Why training crashes
    It does not: the loss falls to zero at once, the accuracy is 1.0, and the model has learned to
    always say the same. Often a filter was too strict, a join lost the labels, a split was made of
    sorted data, or `flow_from_directory` found a single folder.

    ## How to fix it
    Look at where the labels come from. If the data are sorted by class, shuffle them before they
    are split. If a single class is meant, as in one-class detection, a loss for classes teaches
    nothing.

    ## When this is wrong
    For a trial with dummy labels. A subclassed model with one-hot labels is not judged: it may
    choose among candidates, of which the first is always the right one, as word2vec does. Of a
    stream that was not read to its end, only the beginning is known; it counts from 1,000 samples
    on.

    ## References
    - General knowledge; that the loss falls to zero was tried with TensorFlow 2.21 and Keras 3.15
    """
    for field, output, loss in labelled:
        if label_kind(loss) not in ("classes", "one_hot", "binary") or field.labels is None:
            continue
        enough = _FEWEST if was_fully_read(field) else _FEWEST_READ
        if field.labels.distinct != 1 or field.samples_seen < enough or not field.labels.counts:
            continue
        value = field.labels.counts[0].value
        if value == loss.ignore_class or _a_choice(field, output):
            continue
        yield Finding(
            severity="warning",
            confidence="high" if was_fully_read(field) else "medium",
            title=f"All labels in {field.name} are {_format_label(value)}, the only class that "
            f"{output.name} gets to see ({among(field)})",
            evidence=(quote_field(field),),
            fix=Fix(
                "Look at where the labels come from: a filter, a join, a single folder? If the "
                "data are sorted by class, shuffle them before they are split or read.",
                changes_results=True,
            ),
        )


def _a_choice(field: Field, output: ModelOutput) -> bool:
    """Whether code of the user's may compare candidates, the first of which is always right.

    word2vec is trained so: the word that stands near first, then words drawn by lot.
    """
    return bool(field.labels and field.labels.one_hot and output.layer is None)


def _format_label(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float | int) else repr(value)
