"""A dataset does not know how many axes its batches have."""

from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.sources import format_source
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import shape as shown


@check("FG616", "unknown-rank", requires={"FG601", "FG612", "FG613"})
def unknown_rank(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    A `tf.data.Dataset` promises the shape of what it yields. Behind Python code (`py_function`,
    `numpy_function`, `from_generator` with `output_types` only) it knows nothing of it, not even
    the number of axes.

    ## Why training crashes
    `fit` builds its graph from the promise, not from the numbers that come. Keras 3 stops with
    *Cannot take the length of shape with unknown rank* or *as_list() is not defined on an unknown
    TensorShape*, for x and for labels. tf_keras stops for x only.

    ## How to fix it
    Say the shape in a `map`: `tf.ensure_shape(x, (28, 28, 1))` for a sample, or with None in front
    for a batch. Give `from_generator` an `output_signature` of `tf.TensorSpec`s instead of
    `output_types`.

    ## When this is wrong
    A model with a `train_step` of its own may bring its data to a shape first; it is not judged.

    ## References
    - TensorFlow: `tf.py_function`, `tf.ensure_shape`, `tf.data.Dataset.from_generator`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    if data.model.custom_step:
        return
    for source in data.sources:
        amiss = [
            name for name in source.rankless if name.startswith("x") or not is_keras_2(data.model)
        ]
        if amiss:
            yield _finding(source, amiss[0], len(amiss), data)


def _finding(source: Source, name: str, number: int, data: DataFacts) -> Finding:
    field = next((each for each in data.fields if each.name == name), None)
    more = "" if number == 1 else f", nor of {number - 1} more"
    return Finding(
        title=f"{format_source(source)[0].upper()}{format_source(source)[1:]} does not know the "
        f"number of axes of {name}{more}: fit cannot build its graph",
        evidence=(
            Evidence("of unknown rank", f"{format_source(source)}, {name}"),
            *((Evidence(f"samples came as {shown(field.shape)}", name),) if field else ()),
        ),
        fix=Fix(_remedy(name, field)),
    )


def _remedy(name: str, field: Field | None) -> str:
    variable = name.partition("[")[0]
    shape = shown((None, *field.shape)) if field else "(None, ...)"
    return (
        f"Say the shape in a map behind the batch: tf.ensure_shape({variable}, {shape}); or give "
        "from_generator an output_signature."
    )
