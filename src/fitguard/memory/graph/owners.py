"""To whom buffers belong: layers, phases of the step, categories."""

import re
from typing import Any

from fitguard.memory.graph.buffers import Buffer, Category
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.tracing import MARK
from fitguard.memory.training import Training
from fitguard.schema.plan import Phase

COUNTED = re.compile(r"_\d+$")
"""TensorFlow counts scopes that are entered again."""


class Owners:
    """Reads names of operations, in which TensorFlow keeps the layer: `gpt/dense_1/MatMul`."""

    def __init__(self, training: Training) -> None:
        layers = list(_all_layers(training.model)) if training.model is not None else []
        self._kinds = {layer.name: type(layer).__name__ for layer in layers}
        self._variables = _variables_by_layer(layers)
        self._known: dict[str, str] = {}

    def kind(self, layer: str) -> str:
        """The class of a layer."""
        return self._kinds.get(layer, "")

    def layer(self, buffer: Buffer) -> str:
        """The layer that a buffer belongs to; empty for those of the whole step."""
        if buffer.maker is None:
            return self._variables.get(buffer.name, "")
        return self.layer_of_node(buffer.maker)

    def layer_of_node(self, node: Node) -> str:
        """The innermost layer whose scope the operation stands in."""
        if node.name not in self._known:
            self._known[node.name] = self._layer(node.name)
        return self._known[node.name]

    def _layer(self, name: str) -> str:
        for part in reversed(name.split("/")):
            for candidate in (part, COUNTED.sub("", part)):
                if candidate in self._kinds:
                    return candidate
        return ""

    def phase(self, node: Node) -> Phase:
        """Forward, backward or update."""
        if MARK in node.name:
            return "update"
        return "backward" if "gradient_tape" in node.name else "forward"

    def category(self, buffer: Buffer) -> Category:
        """What kind of thing a buffer holds."""
        if buffer.category == "activations" and buffer.is_gradient:
            return "gradients"
        return buffer.category


def _all_layers(model: Any) -> Any:
    flatten = getattr(model, "_flatten_layers", None)
    return flatten(include_self=False, recursive=True) if flatten else getattr(model, "layers", ())


def _variables_by_layer(layers: list[Any]) -> dict[str, str]:
    """The names that TensorFlow gives to variables, each with its layer; inner layers win."""
    owners: dict[str, str] = {}
    for layer in layers:
        for variable in getattr(layer, "variables", ()):
            owners[_tensorflow_name(variable)] = layer.name
    return owners


def _tensorflow_name(variable: Any) -> str:
    return str(getattr(getattr(variable, "value", None), "name", None) or variable.name)
