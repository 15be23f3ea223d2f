"""What the values of an input are cast to before anything is computed with them."""

from typing import Any

from fitguard.contract.layers import casts_floats
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.graph import Graph
from fitguard.inputs.models.kinds import kind, learns, unwrap_layer
from fitguard.inputs.models.rescaling import RESCALES, passes
from fitguard.inputs.models.weights import narrowest


def reading_dtype(graph: Graph, value: int, declared: str) -> str | None:
    """What the first layers behind an input compute in; None where they cast nothing.

    Layers cast floats to what they compute in, those too that only pass them on; whole numbers are
    cast by the layers that calculate.
    """
    reached = (unwrap_layer(step.layer) for step in graph.follow([value], passes))
    floats = declared.startswith(("float", "bfloat"))
    found = {
        trait(layer, "compute_dtype")
        for layer in reached
        if (floats and _casts_floats(layer)) or _calculates(layer)
    }
    return narrowest(found)


def _casts_floats(layer: Any) -> bool:
    return ask(lambda: casts_floats(layer), False)


def _calculates(layer: Any) -> bool:
    name = kind(layer)
    return name in RESCALES or (bool(name) and name != "Embedding" and learns(layer))
