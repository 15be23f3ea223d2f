"""Facts about the data of a training, and the report on them."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.finding import Evidence, Finding, Skipped
from fitguard.schema.hardware import Host
from fitguard.schema.model import ModelFacts, Shape
from fitguard.schema.pipeline import Pipeline

DATA_SCHEMA: Literal["fitguard/data/1"] = "fitguard/data/1"

Split = Literal["training", "validation"]
Role = Literal["x", "y", "sample_weight"]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value stands; everything is counted from 0.

    Args:
        sample: Along the first axis, from the beginning of the data.
        batch: The batch of a stream that it came in.
        position: The index inside the sample; its last number is the column.
        value: As it is written.
    """

    sample: int
    batch: int | None = None
    position: tuple[int, ...] = ()
    value: str = ""


class Spotted(msgspec.Struct, frozen=True):
    """Values, or whole samples, of one kind: how many were seen, and the first few places."""

    count: int
    places: tuple[Place, ...] = ()


class ClassCount(msgspec.Struct, frozen=True):
    """How often a label was seen."""

    value: float | str
    count: int


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a field of y.

    Args:
        integral: Whether all values are whole numbers.
        one_hot: Whether along the last axis all values are 0 but one, which is 1.
        distinct: How many different labels there are; None where they are too many to count.
        counts: The labels, most frequent first; of one-hot ones, the position of the 1. Of the
            fields with more than a few hundred labels, the most and the least frequent ones.
        neighbours: How many pairs of samples that came one after the other, in one batch or block,
            were compared; of labels with one number, or one-hot row, for each sample.
        changes: How many of these pairs differ: few where the data are sorted by label.
    """

    integral: bool | None = None
    one_hot: bool | None = None
    distinct: int | None = None
    counts: tuple[ClassCount, ...] = ()
    neighbours: int = 0
    changes: int = 0


class Padding(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the padding in a field that the model masks.

    Args:
        all_masked: Samples in which nothing but padding is.
        left_padded: Samples with padding in front of, or between, what is not padding.
    """

    all_masked: Spotted = Spotted(0)
    left_padded: Spotted = Spotted(0)


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of a field with two axes that say nothing, or nothing new.

    Args:
        constant: Each with the one value that it has.
        duplicate: Pairs: a column, and an earlier one that is equal.
        from_zero: How many of the other columns have 0 as their lowest value, in the rows that were
            looked at first: counts, pixels, and the 0 and 1 of categories.
    """

    constant: tuple[tuple[int, float], ...] = ()
    duplicate: tuple[tuple[int, int], ...] = ()
    from_zero: int = 0


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One array, or one component of what a stream yields, as it was seen.

    Args:
        name: As a person finds it: `x`, `x['tokens']`, `y[1]`.
        target: The input or output of the model that it goes to; None where none fits.
        container: `numpy.ndarray`, `pandas.DataFrame`, `tf.Tensor`, `list` …
        dtype: As it is there, before Keras casts it.
        shape: Of one sample, without the batch axis; None where it differs from sample to sample.
        samples: The length of the first axis; None where a stream does not tell.
        size_bytes: Of the whole; None where a stream does not tell.
        mapped: Whether it lies in a file that is mapped (numpy.memmap), not in memory.
        samples_seen: How many were looked at.
        minimum, maximum: Of the finite values seen; None for text, or where nothing was seen.
        nans, infinities: Those seen.
        allowed: The lowest and highest value that model and loss allow; None: no limit.
        outside: The values seen beyond `allowed`.
        fractions: Values that are no whole numbers, in an x that is an index of an Embedding, or in
            a y that a sparse loss reads as classes.
        labels: For y.
        padding: For an input that the model masks.
        columns: For two axes.
        column_dtypes: Of a pandas frame: its columns, each with its dtype; of many the first ones,
            and only one where all are alike.
        python_types: What an object array holds: `list`, `NoneType`, `str`.
        examples: A few values of a field of text or objects.
    """

    split: Split = "training"
    role: Role
    name: str
    target: str | None = None
    container: str
    dtype: str
    shape: Shape
    samples: int | None = None
    size_bytes: int | None = None
    mapped: bool = False
    samples_seen: int = 0
    minimum: float | None = None
    maximum: float | None = None
    nans: Spotted = Spotted(0)
    infinities: Spotted = Spotted(0)
    allowed: tuple[float | None, float | None] = (None, None)
    outside: Spotted = Spotted(0)
    fractions: Spotted = Spotted(0)
    labels: Labels | None = None
    padding: Padding | None = None
    columns: Columns | None = None
    column_dtypes: tuple[tuple[str, str], ...] = ()
    python_types: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


class Failure(msgspec.Struct, frozen=True):
    """An error, and the batch at which it came."""

    batch: int
    error: str


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the samples of a split come from, and how much of them was read.

    Args:
        container: As in `Field`, of the whole: `tf.data.Dataset`, `generator`, `PyDataset`.
        samples: How many there are; None where a stream does not tell.
        batches: Likewise; for arrays, with the batch size that `fit` is given.
        endless: Whether the stream never ends.
        batched: Whether its elements are batches; None where that cannot be told.
        samples_seen, batches_seen: How much was read.
        complete: Whether all was read.
        unread: Why nothing was read; empty where something was.
        batch_size: Samples of the first batch.
        last_batch_size: Of the last one; None where the end was not seen.
        batch_shapes: The different shapes, batch axis included, that the first field of x came in;
            at most a few.
        shapes_from: For each of `batch_shapes`, the lowest batch that was seen with it.
        element: The type of what a stream yields: `tuple`, `list`, `dict`, `ndarray`; `tuple with a
            list` where a part of the tuple is one; empty where nothing was read.
        open_fields: Fields of x whose last axis a `tf.data.Dataset` does not know beforehand; the
            batch axis does not count.
        rankless: Fields of which it does not even know the number of axes.
        uneven: The first batch whose parts have different numbers of samples, and the numbers.
        failure: How the stream failed.
        malformed: The element that `fit` would not take, and what is wrong with it.
        handed_back: Whether it can be read only once, so that `fit` must be given what
            `check_data` returned in its place.
        pipeline: Of a `tf.data.Dataset`.
    """

    split: Split = "training"
    kind: Literal["arrays", "dataset", "distributed", "pydataset", "generator"]
    container: str
    samples: int | None = None
    batches: int | None = None
    endless: bool = False
    batched: bool | None = None
    samples_seen: int = 0
    batches_seen: int = 0
    complete: bool = False
    unread: str = ""
    batch_size: int | None = None
    last_batch_size: int | None = None
    batch_shapes: tuple[Shape, ...] = ()
    shapes_from: tuple[int, ...] = ()
    element: str = ""
    open_fields: tuple[str, ...] = ()
    rankless: tuple[str, ...] = ()
    uneven: Failure | None = None
    failure: Failure | None = None
    malformed: Failure | None = None
    handed_back: bool = False
    pipeline: Pipeline | None = None


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """How `fit` is called.

    Args:
        batch_size: As `fit` is given it; None where it is not, which means 32 for arrays.
        class_weight: By class.
    """

    batch_size: int | None = None
    epochs: int = 1
    steps_per_epoch: int | None = None
    validation_steps: int | None = None
    validation_split: float = 0.0
    shuffle: bool = True
    class_weight: dict[int, float] | None = None


class Overlap(msgspec.Struct, frozen=True):
    """Samples of the validation data that are among the training data too.

    Args:
        compared: How many validation samples were looked for.
        among: In how many training samples.
        found: Those that are there; a place's `value` names the training sample.
        whole: Whether the samples are short and hold nothing but whole numbers, as floats or not.
    """

    compared: int
    among: int
    found: Spotted
    whole: bool = False


class DataFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that the checks of data judge."""

    model: ModelFacts
    training: Training = Training()
    sources: tuple[Source, ...] = ()
    fields: tuple[Field, ...] = ()
    overlap: Overlap | None = None
    host: Host | None = None


class DataReport(Document, frozen=True, kw_only=True):
    """The findings on data and model, gravest first, with the facts behind them.

    Args:
        ok: False exactly when a finding of severity error stands.
        passed: Codes of the checks that were made and found nothing.
        seconds: What it took.
        budget_seconds: What it was allowed to take for reading; None where all was to be read.
        place: The line of the script that calls `fit`; None where no script was read.
    """

    schema: Literal["fitguard/data/1"] = DATA_SCHEMA
    ok: bool
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    passed: tuple[str, ...] = ()
    seconds: float = 0.0
    budget_seconds: float | None = None
    place: Evidence | None = None
    facts: DataFacts
