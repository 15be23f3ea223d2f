"""The mask that an input gives rise to, and the recurrent layers that get it."""

from dataclasses import dataclass
from typing import Any

from fitguard.inputs.models.asking import name_of, trait
from fitguard.inputs.models.cudnn import runs_on_cudnn
from fitguard.inputs.models.graph import Graph, Step
from fitguard.inputs.models.kinds import SAME_VALUES, kind, unwrap_layer

_ENDS_SEQUENCE = ("GlobalAveragePooling1D", "GlobalMaxPooling1D", "Flatten")


@dataclass(frozen=True)
class Mask:
    """What counts as padding, the layer that says so, and the layers that get the mask."""

    value: float
    layer: str
    recurrent: tuple[str, ...]
    averaged: tuple[str, ...]


def mask_of(graph: Graph, value: int) -> Mask | None:
    """The mask that the first masking layer behind an input makes of its values."""
    for step in graph.follow([value], lambda step: kind(unwrap_layer(step.layer)) in SAME_VALUES):
        padding = _padding(step.layer)
        if padding is not None:
            return _build_mask(step, padding, graph)
    return None


def _build_mask(masking: Step, padding: float, graph: Graph) -> Mask:
    layers = [step.layer for step in graph.follow(masking.makes, _carries_mask)]
    return Mask(
        padding,
        name_of(masking.layer),
        tuple(name_of(layer) for layer in layers if runs_on_cudnn(layer)),
        tuple(name_of(layer) for layer in layers if kind(layer) == "GlobalAveragePooling1D"),
    )


def _padding(layer: Any) -> float | None:
    # A TimeDistributed layer passes no mask of what is inside.
    if kind(layer) == "Masking":
        return float(layer.mask_value)
    return 0.0 if kind(layer) == "Embedding" and layer.mask_zero else None


def _carries_mask(step: Step) -> bool:
    layer = step.layer
    sequence = trait(layer, "return_sequences", True) and kind(layer) not in _ENDS_SEQUENCE
    return bool(trait(layer, "supports_masking") and sequence)
