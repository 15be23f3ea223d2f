"""An array holds Python objects, not numbers: lists of different lengths, None, or a mixture."""

from collections import Counter
from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.values import quote_examples, value_kind
from fitguard.checks.data.derived.wording import format_field, join_names, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.words import count

_NUMBERS = frozenset(["float", "int", "bool", "float64", "float32", "int64", "int32", "bool_"])
_SEQUENCES = frozenset(["list", "tuple", "ndarray"])
_TEXT = frozenset(["str", "str_", "bytes"])
_GAPS = frozenset(["NoneType", "NAType", "NaTType"])
_TIMES = frozenset(["Timestamp", "Timedelta", "datetime", "date", "datetime64"])
_NUMERIC = ("float", "int", "uint", "bool")


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
    type list)*. In Keras 3 a frame with a column of numbers and `None` trains, and gives nan. A
    frame of numbers with columns of bool, as `pandas.get_dummies` makes them, stops with
    *Unsupported object type int*, or *float*.

    ## How to fix it
    Sequences of different lengths: `keras.utils.pad_sequences(x, padding="post")`, or a
    `tf.RaggedTensor`. `None`: fill the gaps first. Mixed columns: make each a number, or give each
    as an input of its own. Numbers only: `x.astype("float32")`.

    ## When this is wrong
    An object array that holds nothing but text is not reported here. A pandas frame of whole,
    broken and truth values trains in Keras 3 where one column is float64 (and none has a dtype of
    pandas' own, such as Int64), and is not reported.

    ## References
    - NumPy: object arrays; Keras: `pad_sequences`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    for field in data.fields:
        if value_kind(field) == "object" and not _cast_by_keras(field, data.model):
            yield _finding(field)


def _cast_by_keras(field: Field, model: ModelFacts) -> bool:
    """Whether Keras 3 makes floats of a frame of numbers: only where that is not their dtype."""
    if field.container != "pandas.DataFrame" or not _NUMBERS.issuperset(field.python_types):
        return False
    dtypes = {dtype for _, dtype in field.column_dtypes}
    own = any(dtype[:1].isupper() or dtype == "boolean" for dtype in dtypes)
    return not is_keras_2(model) and (not dtypes or ("float64" in dtypes and not own))


def _finding(field: Field) -> Finding:
    types = ", ".join(field.python_types)
    return Finding(
        title=f"{format_field(field)} is {_what(field)} ({types})",
        evidence=(
            quote_field(field),
            *quote_examples(field),
            Evidence(f"holds {types}", format_field(field)),
            *_columns(field),
        ),
        fix=_fix(field),
    )


def _what(field: Field) -> str:
    odd = _odd_columns(field)
    if odd:
        return f"a frame whose {_join_columns(odd)} no number{'' if len(odd) == 1 else 's'}"
    if field.container == "pandas.DataFrame" and _NUMBERS.issuperset(field.python_types):
        return "a frame of numbers of different kinds, which become Python objects"
    return "an array of Python objects, not of numbers"


def _odd_columns(field: Field) -> list[str]:
    """The columns of a frame that hold something else than numbers."""
    return [
        f"{name!r}"
        for name, dtype in field.column_dtypes
        if len(field.column_dtypes) > 1 and not dtype.lower().startswith(_NUMERIC)
    ]


def _join_columns(odd: list[str]) -> str:
    return f"column {odd[0]} holds" if len(odd) == 1 else f"columns {join_names(odd)} hold"


def _columns(field: Field) -> tuple[Evidence, ...]:
    if len(field.column_dtypes) < 2:
        return ()
    kinds = Counter(dtype for _, dtype in field.column_dtypes)
    said = ", ".join(f"{count(number, 'column')} of {dtype}" for dtype, number in kinds.items())
    return (Evidence(said, format_field(field)),)


def _fix(field: Field) -> Fix:
    types, name = set(field.python_types), field.name
    if types == {"ndarray"}:
        return Fix(
            f"If all have one shape, make one array of them: numpy.stack({name}). If not: "
            f"keras.utils.pad_sequences({name}, padding='post'), or resize them.",
            changes_results=True,
        )
    if types & _SEQUENCES:
        return Fix(
            f"Make all rows equally long: keras.utils.pad_sequences({name}, padding='post', "
            "dtype='int32'), with dtype='float32' for measured values.",
            changes_results=True,
        )
    if types & _GAPS:
        return Fix(
            f"Fill or leave out what is None in {name} (fillna, dropna), then "
            f"{name}.astype('float32').",
            changes_results=True,
        )
    if types & _TIMES:
        return Fix(
            f"Make a number of the dates in {name}, such as days since the first: "
            "(dates - dates.min()).dt.days; then .astype('float32').",
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
