"""The data has more or fewer parts than the model has inputs, or other names."""

from collections.abc import Iterator

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.pairs import training_fields
from fitguard.checks.data.derived.wording import format_field, quote_field
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelInput
from fitguard.words import count

_LISTED = 8


@check("FG604", "input-names", requires={"FG613"})
def input_names(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    Each input of a model gets one array. In a list they go by order, in a dict by the names of the
    inputs. Here some input gets nothing, or some array goes nowhere.

    ## Why training crashes
    Keras 3 stops with *Missing data for input "b". You passed a data dictionary with keys ['a']* or
    *Layer expects 2 named input(s) with keys ['a', 'b'], but it received 1 input tensors*. A key
    of a dict that no input bears is left out without a word (tf_keras warns): the model never sees
    that feature.

    ## How to fix it
    Give `x` as a dict whose keys are the names of the inputs, or as a list with as many arrays as
    inputs, in their order. `[item.name for item in model.inputs]` shows the names. Give names of
    your own with `keras.Input(shape, name="tokens")`.

    ## When this is wrong
    Keys that are left out on purpose, such as an id, do no harm; that is for information only. A
    model with a `train_step` of its own makes its inputs itself, and is not judged.

    ## References
    - Keras: `Model.fit`, argument `x`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    inputs = data.model.inputs
    if inputs is None or data.model.kind == "subclassed" or not data.model.built:
        raise Missing("the model does not tell its inputs (it is not built, or subclassed)")
    if data.model.custom_batches:
        raise Missing("the model takes batches apart in code of its own")
    found = feeding(data)
    if found.refused and not _whole_rows(data):
        yield _build_refused_finding(data, inputs, found.missing)
    elif found.surplus and not found.refused:
        yield _build_ignored_finding(found.surplus, inputs)


def _whole_rows(data: DataFacts) -> bool:
    """Whether a stream yields one dict with inputs and labels in it: FG628 speaks of that."""
    stream = any(source.kind != "arrays" for source in data.sources)
    trained = any(output.loss for output in data.model.outputs or ())
    return stream and trained and feeding(data).by_key and not training_fields(data, "y")


def _build_refused_finding(
    data: DataFacts, inputs: tuple[ModelInput, ...], missing: tuple[ModelInput, ...]
) -> Finding:
    given = training_fields(data, "x")
    has = f"The model has {count(len(inputs), 'input')}"
    names = ", ".join(repr(item.name) for item in missing)
    nothing = f"; nothing goes to {names}" if missing else ""
    return Finding(
        title=f"{has}, x has {count(len(given), 'array')}{nothing}",
        evidence=(*map(_quote_input, inputs), *map(quote_field, given[:_LISTED])),
        fix=Fix(_remedy(data, given, inputs)),
    )


def _remedy(data: DataFacts, given: tuple[Field, ...], inputs: tuple[ModelInput, ...]) -> str:
    if len(inputs) == 1 and len(given) > 1 and len({field.shape for field in given}) == 1:
        return (
            f"x is a list of {len(given)} arrays, and each counts as an input. If each is a "
            "sample, make one array of them: numpy.stack(x)."
        )
    stream = any(source.kind != "arrays" for source in data.sources)
    if stream and len(inputs) > 1 and len(given) == 1:
        parts = ", ".join(item.name for item in inputs)
        return (
            "The first part of what a stream yields is x, the second y, the third the weights. "
            f"Put the inputs together: ({parts}), y."
        )
    return f"Give x as {{{_dict(inputs)}}}, or as a list of arrays in this order."


def _build_ignored_finding(surplus: tuple[Field, ...], inputs: tuple[ModelInput, ...]) -> Finding:
    names = ", ".join(format_field(field) for field in surplus)
    return Finding(
        severity="info",
        title=f"{names} goes to no input of the model, and is left out"
        if len(surplus) == 1
        else f"{names} go to no input of the model, and are left out",
        evidence=(*map(quote_field, surplus), *map(_quote_input, inputs)),
        fix=Fix(
            f"If the model is to use it, give the model an input of that name; else leave {names} "
            "out of x.",
            changes_results=True,
        ),
    )


def _quote_input(item: ModelInput) -> Evidence:
    shape = "of unknown shape" if item.shape is None else f"of shape {item.shape}"
    return Evidence(f"{item.dtype} {shape}", f"model, input {item.name!r}")


def _dict(inputs: tuple[ModelInput, ...]) -> str:
    return ", ".join(f"{item.name!r}: ..." for item in inputs)
