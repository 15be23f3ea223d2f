"""An input is given values of a kind that it cannot compute with: text, dates, complex numbers."""

from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.sources import sources_by_split
from fitguard.checks.data.derived.values import quote_examples, value_kind
from fitguard.checks.data.derived.wording import format_field, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelInput


@check("FG606", "input-dtype", requires={"FG613"})
def input_dtype(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    Layers compute with numbers. Only a few (`TextVectorization`, `StringLookup`) take text, and
    these take nothing else. Dates, time spans and records (structured arrays) no layer takes. Of
    complex numbers only the real part is used.

    ## Why training crashes
    Keras 3 stops with *Invalid dtype: str96*, *Invalid dtype: datetime64[s]* or *Invalid dtype:
    void64*; in a `tf.data` pipeline, and in tf_keras, with *Cast string to float is not supported*
    deep inside the graph. NumPy text (dtype `<U`) stops Keras 3 even in front of a layer that takes
    text. Complex numbers raise nothing: their imaginary part is dropped.

    ## How to fix it
    Text that is a number: `x.astype("float32")`. Text that is a category: `StringLookup` in the
    model, or numbers from `pandas.factorize`. Text for `TextVectorization` in Keras 3:
    `tf.constant(x)`. Dates: a number that means something, such as
    `(dates - dates.min()) / numpy.timedelta64(1, "D")`. Complex numbers: two columns, `x.real` and
    `x.imag`.

    ## When this is wrong
    A subclassed model may read text in code of its own; text is judged only where the inputs of the
    model are known.

    ## References
    - Keras guide: preprocessing layers
    - Tried with Keras 3.15 and tf_keras 2.21: text, dates, records and complex numbers as arrays;
      text in `tf.data` and generators
    """
    inputs = {item.name: item for item in data.model.inputs or ()}
    keras_2 = is_keras_2(data.model)
    sources = sources_by_split(data)
    for field in data.fields:
        if field.role != "x":
            continue
        target = inputs.get(field.target or "")
        source = sources.get(field.split)
        finding = _judge_kind(field, target) or _judge_text_container(
            field, target, source, keras_2
        )
        if finding is not None:
            yield finding


def _judge_kind(field: Field, target: ModelInput | None) -> Finding | None:
    kind = value_kind(field)
    if kind == "time":
        return _finding(field, target, "dates or time spans", _DATES)
    if kind == "record":
        return _finding(field, target, "records, not numbers", _RECORDS)
    if kind == "complex":
        return _complex(field, target)
    if target is None or kind not in ("text", "number"):
        return None
    if kind == "text" and not target.takes_text and target.dtype != "string":
        return _finding(field, target, "text, and no layer behind it takes text", _TEXT)
    if kind == "number" and target.dtype == "string":
        return _finding(field, target, "numbers, and the input takes text", _NUMBERS)
    return None


_DATES = "Give numbers instead of {name}, such as days since the first date."
_RECORDS = "Make one array of {name}: numpy.lib.recfunctions.structured_to_unstructured({name})."
_TEXT = (
    "Make numbers of {name}: {name}.astype('float32') where the text is a number, StringLookup or "
    "TextVectorization in the model where it is words."
)
_NUMBERS = "Give text for {name}: tf.strings.as_string({name}), or declare the input as a number."


def _finding(field: Field, target: ModelInput | None, what: str, remedy: str) -> Finding:
    goes_to = f" for the input {target.name!r}" if target else ""
    return Finding(
        title=f"{format_field(field)} holds {what} ({field.dtype}{goes_to})",
        evidence=_evidence(field, target),
        fix=Fix(remedy.format(name=field.name), changes_results=True),
    )


def _complex(field: Field, target: ModelInput | None) -> Finding | None:
    if target is None or target.dtype.startswith("complex"):
        return None
    return Finding(
        severity="warning",
        title=f"{format_field(field)} holds complex numbers ({field.dtype}); the input "
        f"{target.name!r} keeps their real part only",
        evidence=_evidence(field, target),
        fix=Fix(
            f"Give both parts: numpy.stack([{field.name}.real, {field.name}.imag], -1), with an "
            "input of that shape; or the absolute value.",
            changes_results=True,
        ),
    )


def _judge_text_container(
    field: Field, target: ModelInput | None, source: Source | None, keras_2: bool
) -> Finding | None:
    """Text that goes to the right layer, in a form that Keras 3 does not take."""
    if keras_2 or target is None or source is None or value_kind(field) != "text":
        return None
    arrays = source.kind == "arrays" and (
        field.dtype != "object" or field.container.startswith("pandas")
    )
    yielded = source.kind == "generator" and field.container.startswith("numpy")
    if field.container.startswith("tf.") or not (arrays or yielded):
        return None
    return Finding(
        title=f"{format_field(field)} is text in a {field.container} ({field.dtype}), which fit of "
        "Keras 3 refuses even for a layer that takes text",
        evidence=_evidence(field, target),
        fix=Fix(f"Give it as a tensor: tf.constant({field.name})."),
    )


def _evidence(field: Field, target: ModelInput | None) -> tuple[Evidence, ...]:
    wanted = (Evidence(f"takes {target.dtype}", f"model, input {target.name!r}"),) if target else ()
    return (quote_field(field), *quote_examples(field), *wanted)
