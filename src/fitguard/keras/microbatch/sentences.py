"""What is said of layers that micro-batches change, in both libraries."""

from collections.abc import Sequence
from typing import Any


def tell_normalizing(layers: Sequence[Any]) -> list[str]:
    """One sentence for all layers that normalize with statistics of the batch; none without any."""
    if not layers:
        return []
    many = len(layers) > 1
    verb, they, their = (
        ("normalize", "they get", "Their") if many else ("normalizes", "it gets", "Its")
    )
    return [
        f"{_name(layers)} {verb} with the mean and variance of the rows {they}. With micro-batches,"
        f" these are the rows of one micro-batch. {their} moving statistics still update once per"
        " step."
    ]


def tell_drawing(layers: Sequence[Any]) -> list[str]:
    """One sentence for all layers of Keras 2 that draw random numbers; none without any."""
    if not layers:
        return []
    draw = "draw" if len(layers) > 1 else "draws"
    return [
        f"{_name(layers, ' of Keras 2')} {draw} other random numbers for micro-batches than for the"
        " whole batch."
    ]


def _name(layers: Sequence[Any], of: str = "") -> str:
    first, *others = layers
    named = f"{type(first).__name__} {first.name}{of}"
    if not others:
        return named
    return f"{named} and {len(others)} more {'layer' if len(others) == 1 else 'layers'}"
