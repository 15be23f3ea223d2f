"""The seeds that random initializers drew: a model that is not built gets the same weights."""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import is_a


def seeds_of(model: Any) -> list[dict[str, int]]:
    """By the layer and its attribute; Keras' config leaves out seeds that it drew itself."""
    return [
        {name: initializer.seed for name, initializer in _initializers(layer)}
        for layer in flatten_layers(model)
    ]


def set_seeds(model: Any, seeds: list[dict[str, int]]) -> None:
    """For a model of the same layers."""
    for layer, drawn in zip(flatten_layers(model), seeds, strict=False):
        for name, initializer in _initializers(layer):
            initializer.seed = drawn.get(name, initializer.seed)


def _initializers(layer: Any) -> Iterator[tuple[str, Any]]:
    for name, value in vars(layer).items():
        if is_a(value, "RandomInitializer") and isinstance(value.seed, int):
            yield name, value
