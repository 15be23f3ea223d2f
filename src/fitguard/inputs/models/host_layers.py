"""Layers that read text: TensorFlow runs them on the CPU, also where there is a GPU."""

from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.inputs.models.kinds import sublayers

_LOOKUPS = ("StringLookup", "IntegerLookup")
_NAMED = 3


def text_layers(model: Any) -> list[Any]:
    """Those that cut text into words, and so lose the number of rows in the trace."""
    return [layer for layer in sublayers(model) if is_a(layer, "TextVectorization")]


def describe_host_layers(model: Any) -> list[str]:
    """What of a model lies in host memory, as one sentence; nothing where it has no such layer."""
    texts = text_layers(model)
    inside = {id(inner) for layer in texts for inner in sublayers(layer)}
    lookups = (layer for layer in sublayers(model) if is_a(layer, *_LOOKUPS))
    names = [layer.name for layer in (*texts, *lookups) if id(layer) not in inside]
    if not names:
        return []
    more = len(names) - _NAMED
    listed = ", ".join(names[:_NAMED]) + (f" and {more} more layers" if more > 0 else "")
    return [
        f"{listed}: runs on the CPU, with its text and its vocabulary in host memory. Only the "
        "numbers that come out of it lie on the GPU."
    ]
