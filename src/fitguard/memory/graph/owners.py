"""To whom buffers belong: layers, phases of the step, categories."""

from collections.abc import Iterable, Iterator
from typing import Any

from fitguard.inputs.models.weights import leave_out_tables
from fitguard.memory.graph.buffers import Buffer, Category
from fitguard.memory.graph.nodes import Node
from fitguard.memory.scopes import Scopes
from fitguard.memory.training import Training
from fitguard.schema.plan import Phase

FAR = 3
"""How many operations back the layer is looked for."""


class Owners:
    """Reads names of operations, in which TensorFlow keeps the layer: `gpt/dense_1/MatMul`."""

    def __init__(self, training: Training, nodes: Iterable[Node]) -> None:
        layers = list(_layers_inside(training.model))
        self._kinds = {layer.name: type(layer).__name__ for layer in layers}
        self._variables = _variables_by_layer(layers)
        self._scopes = Scopes(training.model, (node.name for node in nodes))
        self._known: dict[str, str] = {}

    def kind(self, layer: str) -> str:
        """The class of a layer."""
        return self._kinds.get(layer, "")

    def layer(self, buffer: Buffer) -> str:
        """The layer that a buffer belongs to; empty for those of the whole step."""
        if buffer.name:
            return self._variables.get(buffer.name, "")
        return self.layer_of_node(buffer.maker) if buffer.maker else ""

    def layer_of_node(self, node: Node) -> str:
        """The layer in whose scope the operation stands, or the one that it works for."""
        if node.name not in self._known:
            self._known[node.name] = self._layer(node, FAR)
        return self._known[node.name]

    def _layer(self, node: Node, far: int) -> str:
        """Sums of gradients and other work between layers count to those that they come from."""
        own = self._scopes.layer(node.name)
        if own or not far or self.phase(node) == "update":
            return own
        around = (self._layer(producer, far - 1) for producer, _ in node.inputs)
        return next((layer for layer in around if layer), "")

    def phase(self, node: Node) -> Phase:
        """Forward, backward or update."""
        return self._scopes.phase(node.name)

    def category(self, buffer: Buffer) -> Category:
        """What kind of thing a buffer holds."""
        if buffer.category == "activations" and buffer.is_gradient:
            return "gradients"
        return buffer.category


def _layers_inside(model: Any) -> Iterator[Any]:
    """The layers of a model and of the models in it; what is inside of a layer belongs to it."""
    for layer in getattr(model, "layers", ()):
        if getattr(layer, "layers", None):
            yield from _layers_inside(layer)
        else:
            yield layer


def _variables_by_layer(layers: list[Any]) -> dict[str, str]:
    """The names that TensorFlow gives to variables, each with its layer."""
    return {
        _tensorflow_name(variable): layer.name
        for layer in layers
        for variable in leave_out_tables(layer.variables)
    }


def _tensorflow_name(variable: Any) -> str:
    return str(getattr(getattr(variable, "value", None), "name", None) or variable.name)
