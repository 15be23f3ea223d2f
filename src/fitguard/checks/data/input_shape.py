"""The samples have another shape than the model's input."""

from collections.abc import Iterator

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.input_shapes import fits
from fitguard.checks.data.derived.pairs import Fed, training_fields
from fitguard.checks.data.derived.reshaping import find_remedy
from fitguard.checks.data.derived.sources import sources_by_split
from fitguard.checks.data.derived.wording import quote_field
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelInput, Shape
from fitguard.words import shape as shown


@check("FG605", "input-shape", requires={"FG607", "FG610", "FG613"})
def input_shape(fed: tuple[Fed, ...], data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    An input of the model declares the shape of one sample, without the batch axis. The samples that
    go to it have another number of axes, or another length along one of them.

    ## Why training crashes
    Keras 3 stops at the first batch with *Input 0 with name 'a' of layer 'functional' is
    incompatible with the layer: expected shape=(None, 4), found shape=(None, 3)* or *Invalid input
    shape for input*. Sometimes the message comes from a layer deep inside, such as *expected axis
    -1 of input shape to have value 1, but received input with shape (None, 8, 8, 3)*.

    ## How to fix it
    Bring the data into the shape of the input: `x[..., None]` adds a last axis of length 1,
    `x.reshape(len(x), -1)` makes rows of images, `numpy.moveaxis(x, 1, -1)` puts the channels last.
    Or declare the input with the shape that the data has.

    ## When this is wrong
    Keras adds or removes a last axis of length 1 by itself, and an axis that the input leaves open
    (`None`) takes any length; both are not reported. Subclassed models are not judged. A Sequential
    model of Keras 3 does not compare inner axes: where its layers take any length (an LSTM, pooling
    over the whole image), it trains all the same.

    ## References
    - Keras: `Input`, argument `shape`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if data.model.kind == "subclassed":
        raise Missing("a subclassed model may take samples of any shape")
    if feeding(data).refused:
        raise Missing("the parts of x are not those of the inputs: FG604")
    for field, target in fed:
        if field.samples == 0:
            continue
        if target.least_axes is not None and len(field.shape) + 1 < target.least_axes:
            yield _too_few(field, target)
        elif not fits(field.shape, target):
            yield _finding(field, target, fed, data)


def _finding(field: Field, target: ModelInput, fed: tuple[Fed, ...], data: DataFacts) -> Finding:
    inner = (
        len(field.shape) == len(_get_sample_shape(target))
        and field.shape[-1:] == _get_sample_shape(target)[-1:]
    )
    lenient = data.model.kind == "sequential" and not is_keras_2(data.model)
    return Finding(
        confidence="medium" if inner and lenient else "high",
        title=f"{field.name} has samples of shape {shown(field.shape)}; the input "
        f"{target.name!r} takes {shown(_get_sample_shape(target))}",
        evidence=(
            quote_field(field),
            Evidence(f"shape {shown(target.shape or ())}", f"model, input {target.name!r}"),
        ),
        fix=Fix(_remedy(field, target, fed, data), changes_results=True),
    )


def _too_few(field: Field, target: ModelInput) -> Finding:
    axes, reader = (target.least_axes or 0) - 1, target.axes_layer or "the first layer"
    return Finding(
        title=f"{field.name} has samples of shape {shown(field.shape)}; {reader} takes samples "
        f"with {axes} axes",
        evidence=(quote_field(field), Evidence(f"at least {axes + 1} axes", f"model, {reader}")),
        fix=Fix(
            f"Give the samples {axes} axes: {field.name}[..., None] adds a last one of length 1, "
            f"{field.name}.reshape(len({field.name}), ...) makes others.",
            changes_results=True,
        ),
    )


def _remedy(field: Field, target: ModelInput, fed: tuple[Fed, ...], data: DataFacts) -> str:
    have, want, name = field.shape, _get_sample_shape(target), field.name
    fitting = [item.input.name for item in fed if item.input != target and fits(have, item.input)]
    if fitting:
        return (
            f"{name} fits the input {fitting[0]!r}: the arrays are in the wrong order. Give x as a "
            f"dict by name: {{{target.name!r}: ..., {fitting[0]!r}: {name}}}."
        )
    labels = [other.name for other in training_fields(data, "y") if fits(other.shape, target)]
    if labels and len(have) < len(want):
        return f"{labels[0]} has the shape of this input: are x and y in the wrong order?"
    source = sources_by_split(data).get(field.split)
    stream = source is not None and source.kind != "arrays"
    return find_remedy(field, want, stream=stream) or (
        f"Bring the samples of {name} to the shape {shown(want)}, or declare the input with "
        f"theirs: keras.Input({shown(have)})."
    )


def _get_sample_shape(target: ModelInput) -> Shape:
    return (target.shape or ())[1:]
