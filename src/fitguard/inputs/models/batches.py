"""What binds a model to a batch size, and which layers look across the batch."""

from dataclasses import dataclass
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.asking import ask, name_of, trait
from fitguard.inputs.models.graph import Graph
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.tensors import shape_of

# Of Keras 3, and of Keras 2.
_CONVOLVING = (
    *("BaseConv", "BaseConvTranspose", "BaseDepthwiseConv", "BaseSeparableConv"),
    "Conv",
)


@dataclass(frozen=True)
class Binding:
    """The one batch size that a model takes, and the layer that wants it."""

    size: int | None = None
    layer: str | None = None


def batch_binding(model: Any) -> Binding:
    """What a stateful RNN binds the model to.

    An Input with a fixed batch size alone binds nothing: both libraries train such a model on
    batches of any size (tried on Keras 3.15 and tf_keras 2.21). The size is None where the
    stateful layer is not built: it will take the size of the first batch.
    """
    for layer in sublayers(model):
        if is_a(layer, "RNN") and trait(layer, "stateful") is True:
            return Binding(_size(model, layer), name_of(layer))
    return Binding()


def _size(model: Any, layer: Any) -> int | None:
    functional = ask(lambda: functional_of(model), None)
    shapes = [shape_of(tensor) for tensor in functional.inputs] if functional is not None else []
    fixed = [shape[0] for shape in shapes if shape and shape[0] is not None]
    return fixed[0] if fixed else ask(lambda: int(layer.states[0].shape[0]), None)


def flat_statistics(model: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these BatchNormalization layers that read nothing but batch and channels."""
    return tuple(
        name_of(layer)
        for layer in sublayers(model)
        if name_of(layer) in names and trait(trait(layer, "input_spec"), "ndim") == 2
    )


def batch_statistics(model: Any, graph: Graph | None) -> tuple[str, ...]:
    """The BatchNormalization layers that will compute statistics over each batch in training."""
    candidates = [
        layer
        for layer in sublayers(model)
        if is_a(layer, "BatchNormalization") and trait(layer, "trainable", True)
    ]
    if graph is not None:
        drawn = {id(step.layer) for step in graph.steps}
        live = {id(step.layer) for step in graph.steps if not step.inference}
        candidates = [c for c in candidates if id(c) in live or id(c) not in drawn]
    return tuple(name_of(layer) for layer in candidates)


def convolutions(model: Any) -> tuple[str, ...]:
    """The layers that convolve."""
    return tuple(name_of(layer) for layer in sublayers(model) if is_a(layer, *_CONVOLVING))
