"""`fitguard.check_data()`: will this data train this model?"""

from collections.abc import Mapping, Sequence
from typing import Any

from fitguard.checks.framework.data import judge_data
from fitguard.facts import host
from fitguard.inputs import arguments
from fitguard.inputs.budget import DEFAULT_SECONDS, Budget, budget
from fitguard.inputs.models import describe
from fitguard.inputs.models.library import require_outside_of_functions
from fitguard.inputs.scan.overlap import find_overlap
from fitguard.inputs.sources.opening import open_data
from fitguard.inputs.sources.peeking import batch_shape
from fitguard.inputs.sources.source import Context, Progress, Readable
from fitguard.inputs.sources.splitting import split
from fitguard.inputs.sources.structure import Element, unpack_element
from fitguard.schema.data import DataFacts, DataReport, Training
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts

# How far into the budget each part may go.
TRAINING_SHARE, VALIDATION_SHARE, OVERLAP_SHARE = 0.6, 0.8, 0.9


class Checked(DataReport, frozen=True, dict=True):
    """The report, which notebooks show as a page, with the data to give to `fit`."""

    @property
    def x(self) -> Any:
        """What was given as x; of a generator that was read, one that begins with that."""
        return self.__dict__["x"]

    @property
    def validation_data(self) -> Any:
        """The same for the validation data."""
        return self.__dict__["validation_data"]


def check_data(
    model: Any,
    x: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    class_weight: Mapping[int, float] | None = None,
    batch_size: int | None = None,
    epochs: int = 1,
    steps_per_epoch: int | None = None,
    shuffle: bool = True,
    validation_data: Any = None,
    validation_split: float = 0.0,
    validation_batch_size: int | None = None,
    validation_steps: int | None = None,
    budget_seconds: float = DEFAULT_SECONDS,
    full: bool = False,
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> Checked:
    """Judge model and data against each other, before time is spent on training.

    All but the last five arguments are those of `fit`. Nothing is trained and nothing moves:
    training afterwards gives bit for bit what it gives without this call. Only a generator cannot
    be read twice: give `fit` the `x` of the report in its place.

    Args:
        budget_seconds: What reading may take. Arrays are seen whole within it, or evenly sampled;
            streams as far as it goes. The report says how much was seen.
        full: Read everything, however long it takes.
        select: Codes or prefixes of the checks to make, such as `FG62`.
        ignore: Codes or prefixes to leave out.
        progress: Is called with what is being read, how much is done, and of how much.

    Returns:
        The findings, gravest first. `report.ok` is False where one is an error.

    Raises:
        UsageError: for what `fit` does not take.

    Example:
        >>> report = fitguard.check_data(model, x, y, batch_size=64)
        >>> report.ok or report.findings[0].title
    """
    clock = budget(budget_seconds, full=full)
    require_outside_of_functions()
    training = arguments.training(
        batch_size=batch_size,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        validation_steps=validation_steps,
        validation_split=validation_split,
        shuffle=shuffle,
        class_weight=class_weight,
    )
    validation_size = arguments.optional("validation_batch_size", validation_batch_size)
    facts = describe(model, batch_shape(x))
    element, held_out = Element(x, y, sample_weight), validation_data
    if training.validation_split and validation_data is None:
        element, held_out = split(element, validation_split)
    trained = open_data(
        element, Context(facts, training, "training", training.batch_size, progress)
    )
    validated = None
    if held_out is not None:
        size = validation_size or training.batch_size
        context = Context(facts, training, "validation", size, progress)
        validated = open_data(_validation(held_out), context)
    data = _read(facts, training, trained, validated, clock)
    results = judge_data(data, select=select, ignore=ignore)
    report = Checked(
        ok=results.ok,
        facts=data,
        seconds=clock.spent_seconds,
        budget_seconds=clock.seconds,
        **results._asdict(),
    )
    report.__dict__["x"] = trained.hand_back() if element.x is x else x
    report.__dict__["validation_data"] = _hand_back_validation(validation_data, validated)
    return report


# TensorFlow would rewrite all the code behind it, where it is called inside of a tf.function.
check_data.autograph_info__ = {}  # type: ignore[attr-defined]


def _read(
    model: ModelFacts,
    training: Training,
    trained: Readable,
    validated: Readable | None,
    clock: Budget,
) -> DataFacts:
    """Read one split after the other, then compare them."""
    share = OVERLAP_SHARE if validated is None else TRAINING_SHARE
    seen = [trained.read(clock.until(share))]
    overlap = None
    if validated is not None:
        seen.append(validated.read(clock.until(VALIDATION_SHARE)))
        if all(part.arrays for part in seen):
            overlap = find_overlap(seen[1].arrays, seen[0].arrays, clock.until(OVERLAP_SHARE))
    return DataFacts(
        model=model,
        training=training,
        sources=tuple(part.source for part in seen),
        fields=tuple(field for part in seen for field in part.fields),
        overlap=overlap,
        host=host.read(),
    )


def _validation(held_out: Any) -> Element:
    try:
        return unpack_element(held_out)
    except ValueError as error:
        raise UsageError(f"validation_data: {error}") from None


def _hand_back_validation(validation_data: Any, validated: Readable | None) -> Any:
    """Arrays are given back as they came: in a tuple with their labels."""
    if validated is None or isinstance(validation_data, tuple | list) or validation_data is None:
        return validation_data
    return validated.hand_back()
