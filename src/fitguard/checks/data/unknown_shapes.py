"""Batches come in many shapes, and XLA recompiles the step for each."""

from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts, Shape
from fitguard.words import shape as shown

# Of the shapes, only so many are kept.
_KEPT = 8
_OFTEN = 4


@check("FG677", "unknown-shapes", requires={"FG605", "FG613"})
def unknown_shapes(training_source: Source, model: ModelFacts) -> Finding | None:
    """
    ## What it means
    The batches differ in shape: texts of different length, images of different size. XLA compiles a
    step for exactly one shape. Keras uses XLA where there is a GPU (`jit_compile="auto"`), or where
    `jit_compile=True` is given.

    ## Why training crashes
    It does not, it crawls: each new shape stops the training for a compilation. Here, on the CPU, a
    step with a new length took 0.35 to 0.5 s for a model of two small convolutions, and 0.002 s
    when the length had been there before. On a GPU the first step of larger models took 8 to 75 s,
    and the compiled steps stay in memory.

    ## How to fix it
    Pad to one length, or to a few: `padded_batch(…, padded_shapes=…)`, `bucket_by_sequence_length`
    with `pad_to_bucket_boundary=True`, or cut and pad in `map`. Or compile the model with
    `jit_compile=False`.

    ## When this is wrong
    A few shapes that come again and again, as buckets of lengths give them, are paid once: nothing
    is said where each came four times on average among the batches that were read. A smaller last
    batch is one more compilation only, and is not reported. On a machine without a GPU, Keras does
    not tell `jit_compile="auto"` from False: the finding is then an info only.

    ## References
    - OpenXLA documentation: shapes must be known when a step is compiled
    - Keras: `Model.compile`, argument `jit_compile`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU; the times on a GPU were measured on an
      H200, with models of another kind
    """
    if model.jit_compile is None:
        raise Missing("whether XLA compiles the step is not known")
    shapes = training_source.batch_shapes
    samples = tuple(dict.fromkeys(shape[1:] for shape in shapes))
    # Two batch sizes are the usual one and the last one; more are made on purpose or by filters.
    if not model.jit_compile or (len(samples) < 2 and len(shapes) < 3):
        return None
    if len(shapes) < _KEPT and training_source.batches_seen >= _OFTEN * len(shapes):
        return None
    what = "samples" if len(samples) > 1 else "batches"
    different = samples if len(samples) > 1 else shapes
    return Finding(
        severity="warning" if model.jit_compile_here else "info",
        confidence="high" if model.jit_compile_here else "medium",
        title=f"{training_source.batches_seen:,} batches came with {what} of {len(different)} "
        f"shapes{_or_more(shapes)}: XLA compiles the step for each",
        evidence=(
            Evidence(", ".join(shown(shape) for shape in shapes), "training data, batches of x"),
            Evidence(_format_jit_compile(model), "model"),
        ),
        fix=Fix(_fix(samples), changes_results=len(samples) > 1),
    )


def _format_jit_compile(model: ModelFacts) -> str:
    if model.jit_compile_here:
        return "jit_compile=True"
    return 'jit_compile="auto" uses XLA where there is a GPU; there is none here'


def _or_more(shapes: tuple[Shape, ...]) -> str:
    return " or more" if len(shapes) >= _KEPT else ""


def _fix(samples: tuple[Shape, ...]) -> str:
    if len(samples) < 2:
        return "Make all batches of one size: .batch(n, drop_remainder=True). Or jit_compile=False."
    ranks = {len(shape) for shape in samples}
    if len(ranks) > 1 or any(None in shape for shape in samples):
        return "Pad all samples to one shape, or compile the model with jit_compile=False."
    longest = tuple(max(axis or 0 for axis in axes) for axes in zip(*samples, strict=True))
    return (
        f"Pad all samples to one shape, such as {shown(longest)}, or to a few lengths "
        "(bucket_by_sequence_length). Or compile the model with jit_compile=False."
    )
