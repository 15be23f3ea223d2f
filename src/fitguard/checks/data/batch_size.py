"""The batch size is not positive, or larger than the data."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Source, Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts

_DEFAULT = 32
# Who trains so long may well mean one step an epoch.
_MANY_EPOCHS = 100


@check("FG615", "batch-size", requires={"FG609", "FG610", "FG611"})
def batch_size(training_source: Source, training: Training, model: ModelFacts) -> Finding | None:
    """
    ## What it means
    A batch must have at least one sample. One that is larger than the data takes them all: each
    epoch is then a single step, and the number that was set has no effect.

    ## Why training crashes
    Keras 3 takes 0 for *not given*, so 32; with -1 it stops with *Invalid value in tensor used for
    shape*. tf_keras says *Expected batch_size to be positive*. A batch that is too large does not
    crash: the optimizer makes one step an epoch, and after the same number of epochs it has learned
    far less.

    ## How to fix it
    Take a batch size that leaves at least ten steps an epoch, such as 32, or train for more epochs.
    For one step an epoch on purpose, write `batch_size=len(x)`.

    ## When this is wrong
    Small data with the default of 32 is not reported, nor is a batch of exactly all samples. With
    100 epochs or more it is for information only.

    ## References
    - Keras: `Model.fit`, argument `batch_size`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if training_source.kind == "arrays" and training.batch_size is not None:
        if training.batch_size <= 0:
            return _not_positive(training.batch_size, model)
        return _too_large(training_source, training, training.batch_size, "fit")
    asked = _batch_of(training_source)
    return _too_large(training_source, training, asked, "dataset.batch") if asked else None


def _batch_of(source: Source) -> int | None:
    """The size that the last batch stage of a dataset asks for."""
    stages = source.pipeline.stages if source.pipeline else ()
    return next((stage.batch_size for stage in reversed(stages) if stage.batch_size), None)


def _not_positive(size: int, model: ModelFacts) -> Finding:
    ignored = size == 0 and not is_keras_2(model)
    return Finding(
        severity="warning" if ignored else "error",
        title=f"batch_size={size}: "
        + (f"Keras 3 takes {_DEFAULT} in its place" if ignored else "a batch needs a sample"),
        evidence=(Evidence(f"batch_size={size}", "fit"),),
        fix=Fix(f"Give a positive batch_size, such as {_DEFAULT}.", changes_results=not ignored),
    )


def _too_large(source: Source, training: Training, asked: int, place: str) -> Finding | None:
    samples = source.samples
    if samples is None or asked <= max(samples, _DEFAULT) or source.endless:
        return None
    better = max(1, min(_DEFAULT, samples // 10))
    return Finding(
        severity="info" if training.epochs >= _MANY_EPOCHS else "warning",
        title=f"The batch size {asked:,} is larger than the {samples:,} samples: one step an epoch",
        evidence=(
            Evidence(f"{samples:,} samples", source.container),
            Evidence(f"batch size {asked:,}, epochs={training.epochs}", place),
        ),
        fix=Fix(
            f"Take a smaller batch, such as {better}; or, for one step an epoch on purpose, a "
            f"batch size of {samples:,}.",
            changes_results=True,
        ),
    )
