"""The samples have another shape than the model's input."""

import math
from collections.abc import Iterator

from fitguard.checks.data.derived.input_shapes import fits
from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.wording import described
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.report.words import shape as shown
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts, ModelInput, Shape


@check("FG605", "input-shape", requires={"FG607", "FG610", "FG613"})
def input_shape(fed: tuple[Fed, ...], model: ModelFacts) -> Iterator[Finding]:
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
    (`None`) takes any length; both are not reported. Subclassed models are not judged.

    ## References
    - Keras: `Input`, argument `shape`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if model.kind == "subclassed":
        raise Missing("a subclassed model may take samples of any shape")
    for field, target in fed:
        if fits(field.shape, target):
            continue
        yield Finding(
            title=f"{field.name} has samples of shape {shown(field.shape)}; the input "
            f"{target.name!r} takes {shown(_wanted(target))}",
            evidence=(
                described(field),
                Evidence(f"shape {shown(target.shape or ())}", f"model, input {target.name!r}"),
            ),
            fix=Fix(_remedy(field, target, fed), changes_results=True),
        )


def _remedy(field: Field, target: ModelInput, fed: tuple[Fed, ...]) -> str:
    have, want, name = field.shape, _wanted(target), field.name
    fitting = [item.input.name for item in fed if item.input != target and fits(have, item.input)]
    if fitting:
        return (
            f"{name} fits the input {fitting[0]!r}: the arrays are in the wrong order. Give x as a "
            f"dict by name: {{{target.name!r}: ..., {fitting[0]!r}: {name}}}."
        )
    if len(have) == 3 and (*have[1:], have[0]) == want:
        return f"The channels come first. Put them last: numpy.moveaxis({name}, 1, -1)."
    if _long(have) != _long(want) and sorted(_long(have)) == sorted(_long(want)):
        return f"The axes come in another order. Change it with numpy.transpose({name}, ...)."
    if _size(have) and _size(have) == _size(want):
        axes = ", ".join(map(str, want))
        return f"The same number of values in another shape: {name}.reshape(-1, {axes})."
    return (
        f"Bring the samples of {name} to the shape {shown(want)}, or declare the input with "
        f"theirs: keras.Input({shown(have)})."
    )


def _wanted(target: ModelInput) -> Shape:
    return (target.shape or ())[1:]


def _long(shape: Shape) -> tuple[int, ...]:
    """The axes that a change of order moves: those longer than 1."""
    return tuple(length for length in shape if length is not None and length > 1)


def _size(shape: Shape) -> int:
    """Values in a sample; 0 where an axis is open."""
    return math.prod(length or 0 for length in shape)
