"""An array holds Python objects, not numbers: lists of different lengths, None, or a mixture."""

from collections.abc import Iterator

from fitguard.checks.data.derived.values import quoted, value_kind
from fitguard.checks.data.derived.wording import called, described
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix

_NUMBERS = frozenset(["float", "int", "bool", "float64", "float32", "int64", "int32", "bool_"])
_SEQUENCES = frozenset(["list", "tuple", "ndarray"])
_TEXT = frozenset(["str", "str_", "bytes"])


@check("FG607", "object-array")
def object_array(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    NumPy makes an array of dtype `object` where it finds no common kind of number: rows of
    different lengths, `None` among numbers, text in one column and numbers in another. pandas does
    the same for a frame with columns of different kinds.

    ## Why training crashes
    TensorFlow has no such dtype. Keras 3 stops with *Invalid dtype: object* or *could not convert
    string to float*, tf_keras with *Failed to convert a NumPy array to a Tensor (Unsupported object
    type list)*. In Keras 3 a frame with a column of numbers and `None` trains, and gives nan.

    ## How to fix it
    Sequences of different lengths: `keras.utils.pad_sequences(x, padding="post")`, or a
    `tf.RaggedTensor`. `None`: fill the gaps first. Mixed columns: make each a number, or give each
    as an input of its own. Numbers only: `x.astype("float32")`.

    ## When this is wrong
    An object array that holds nothing but text is not reported here. A pandas frame of whole,
    broken and truth values trains in Keras 3 where one column is float64, and is not reported.

    ## References
    - NumPy: object arrays; Keras: `pad_sequences`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    for field in data.fields:
        if value_kind(field) == "object" and not _cast_by_keras(field):
            yield _finding(field)


def _cast_by_keras(field: Field) -> bool:
    """A frame of numbers: whether Keras finds one dtype for it depends on its columns."""
    return field.container == "pandas.DataFrame" and _NUMBERS.issuperset(field.python_types)


def _finding(field: Field) -> Finding:
    types = ", ".join(field.python_types)
    return Finding(
        title=f"{called(field)} is an array of Python objects ({types}), not of numbers",
        evidence=(described(field), *quoted(field), Evidence(f"holds {types}", called(field))),
        fix=_fix(field),
    )


def _fix(field: Field) -> Fix:
    types, name = set(field.python_types), field.name
    if types & _SEQUENCES:
        return Fix(
            f"Make all rows equally long: keras.utils.pad_sequences({name}, padding='post', "
            "dtype='int32'), with dtype='float32' for measured values.",
            changes_results=True,
        )
    if "NoneType" in types:
        return Fix(
            f"Fill or leave out what is None in {name}, then {name}.astype('float32').",
            changes_results=True,
        )
    if types <= _NUMBERS:
        return Fix(f"All are numbers: {name}.astype('float32').")
    if types & _TEXT:
        return Fix(
            f"Make a number of each column of {name} that holds text (pandas.factorize, one-hot), "
            "or give it as an input of its own with StringLookup.",
            changes_results=True,
        )
    return Fix(f"Make numbers of the values in {name}: {name}.astype('float32').")
