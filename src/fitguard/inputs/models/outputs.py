"""The outputs of a model, each with its loss."""

from typing import Any

from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.activations import last_activation
from fitguard.inputs.models.asking import ask, name_of, trait
from fitguard.inputs.models.graph import Graph
from fitguard.inputs.models.losses import losses_by_output, names_in_losses
from fitguard.inputs.models.open_shapes import shape_after, units_of
from fitguard.inputs.models.tensors import dtype_of, names_in, shape_of
from fitguard.schema.model import ModelOutput, Shape


def outputs_of(
    model: Any, graph: Graph | None, batch: Shape | None = None
) -> tuple[ModelOutput, ...] | None:
    """The outputs in the order of a list of labels; None where nobody knows them.

    Args:
        batch: The shape of a batch of x, for a model that is not built.
    """
    given = trait(model, "loss")
    functional = ask(lambda: functional_of(model), None)
    if functional is not None:
        return _read_outputs(functional, graph, given)
    if graph is not None and graph.steps:
        return (_build_chain_output(graph, given, batch),)
    names = names_in_losses(given)
    pairs = zip(names, losses_by_output(given, names), strict=True)
    return tuple(ModelOutput(name=name, loss=loss) for name, loss in pairs) or None


def has_named_outputs(model: Any) -> bool | None:
    """Whether the outputs come as a dict; None where nobody knows."""
    structure = trait(functional_of(model), "output")
    return None if structure is None else isinstance(structure, dict)


def _read_outputs(functional: Any, graph: Graph | None, given: Any) -> tuple[ModelOutput, ...]:
    names = names_in(functional, "outputs")
    ends = zip(names, functional.outputs, losses_by_output(given, names), strict=True)
    return tuple(
        ModelOutput(
            name=name,
            shape=shape_of(tensor),
            dtype=dtype_of(tensor),
            layer=_layer(graph, place),
            activation=_activation(graph, place),
            loss=loss,
        )
        for place, (name, tensor, loss) in enumerate(ends)
    )


def _build_chain_output(graph: Graph, given: Any, batch: Shape | None) -> ModelOutput:
    """The output of a Sequential model that is not built."""
    last = graph.steps[-1].layer
    layers = [step.layer for step in graph.steps]
    name = name_of(last) or "output"
    return ModelOutput(
        name=name,
        shape=ask(lambda: shape_after(layers, batch), None),
        units=ask(lambda: units_of(layers), None),
        dtype=str(trait(last, "compute_dtype") or "float32"),
        layer=name,
        activation=_activation(graph, 0),
        loss=losses_by_output(given, [name])[0],
    )


def _layer(graph: Graph | None, place: int) -> str | None:
    maker = graph.maker(graph.outputs[place]) if graph is not None else None
    return name_of(maker.layer) if maker is not None else None


def _activation(graph: Graph | None, place: int) -> str | None:
    if graph is None:
        return None
    return ask(lambda: last_activation(graph, graph.outputs[place]), None)
