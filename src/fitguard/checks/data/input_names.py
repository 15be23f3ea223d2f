"""The data has more or fewer parts than the model has inputs, or other names."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import training_fields
from fitguard.checks.data.derived.wording import called, described
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.report.words import count
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelInput


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
    Keys that are left out on purpose, such as an id, do no harm; that is for information only.

    ## References
    - Keras: `Model.fit`, argument `x`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    inputs = data.model.inputs
    if inputs is None or data.model.kind == "subclassed" or not data.model.built:
        raise Missing("the model does not tell its inputs (it is not built, or subclassed)")
    given = training_fields(data, "x")
    if given:
        yield from _judged(given, inputs)


def _judged(given: tuple[Field, ...], inputs: tuple[ModelInput, ...]) -> Iterator[Finding]:
    targets = {field.target for field in given}
    missing = [item for item in inputs if item.name not in targets and not item.optional]
    surplus = [field for field in given if field.target is None]
    by_key = any(field.name.startswith("x['") for field in given)
    if missing or (surplus and not by_key):
        yield _refused(given, inputs, missing)
    elif surplus:
        yield _ignored(surplus, inputs)


def _refused(
    given: tuple[Field, ...], inputs: tuple[ModelInput, ...], missing: list[ModelInput]
) -> Finding:
    has = f"The model has {count(len(inputs), 'input')}"
    names = ", ".join(repr(item.name) for item in missing)
    nothing = f"; nothing goes to {names}" if missing else ""
    return Finding(
        title=f"{has}, x has {count(len(given), 'array')}{nothing}",
        evidence=(*map(_wanted, inputs), *map(described, given)),
        fix=Fix(f"Give x as {{{_dict(inputs)}}}, or as a list of arrays in this order."),
    )


def _ignored(surplus: list[Field], inputs: tuple[ModelInput, ...]) -> Finding:
    names = ", ".join(called(field) for field in surplus)
    return Finding(
        severity="info",
        title=f"{names} goes to no input of the model, and is left out"
        if len(surplus) == 1
        else f"{names} go to no input of the model, and are left out",
        evidence=(*map(described, surplus), *map(_wanted, inputs)),
        fix=Fix(
            f"If the model is to use it, give the model an input of that name; else leave {names} "
            "out of x.",
            changes_results=True,
        ),
    )


def _wanted(item: ModelInput) -> Evidence:
    shape = "of unknown shape" if item.shape is None else f"of shape {item.shape}"
    return Evidence(f"{item.dtype} {shape}", f"model, input {item.name!r}")


def _dict(inputs: tuple[ModelInput, ...]) -> str:
    return ", ".join(f"{item.name!r}: ..." for item in inputs)
