"""The labels are text, which no loss can read."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import training_fields
from fitguard.checks.data.derived.wording import format_field
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix

_TEXT_DTYPES = ("<U", ">U", "|S", "str", "string", "bytes", "category")
_TEXT_TYPES = frozenset(("str", "bytes", "str_", "bytes_"))


@check("FG625", "text-labels")
def text_labels(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    The labels are words, such as `cat` and `dog`. A loss computes with numbers.

    ## Why training crashes
    Keras 3 stops with *Invalid dtype: str32* for a NumPy array of text. An array of objects or a
    `tf.data` pipeline gets further and fails in the graph: *Cast string to float is not supported*.

    ## How to fix it
    Number the classes: `names, numbers = numpy.unique(y, return_inverse=True)`, and give `fit` the
    numbers. In a pipeline: `keras.layers.StringLookup(vocabulary=names, num_oov_indices=0)` in a
    `map`. Keep `names`: they say later what a number means.

    ## When this is wrong
    A model with a `train_step` or `compute_loss` of its own may read text; it is not judged.

    ## References
    - Keras: `keras.layers.StringLookup`; NumPy: `numpy.unique`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    if data.model.custom_step:
        raise Missing("the model computes its loss in code of its own")
    for field in training_fields(data, "y"):
        if not _is_text(field):
            continue
        examples = ", ".join(field.examples[:5])
        yield Finding(
            title=f"{field.name} is text ({field.dtype})"
            + (f", such as {examples}" if examples else ""),
            evidence=(Evidence(f"{field.dtype}: {examples or 'text'}", format_field(field)),),
            fix=Fix(
                f"Number the classes: names, numbers = numpy.unique({field.name}, "
                "return_inverse=True). Give fit the numbers and keep the names."
            ),
        )


def _is_text(field: Field) -> bool:
    return field.dtype.startswith(_TEXT_DTYPES) or bool(
        _TEXT_TYPES.intersection(field.python_types)
    )
