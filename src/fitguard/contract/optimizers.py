"""Optimizers, which make their variables in the first step."""

from typing import Any


def is_built(optimizer: Any) -> bool:
    """Whether it has its variables."""
    return bool(getattr(optimizer, "built", getattr(optimizer, "_built", False)))


def build(optimizer: Any, weights: list[Any]) -> None:
    """Make its variables now; nothing for what is no optimizer of Keras."""
    # The second name is that of the legacy optimizers of Keras 2.
    make = getattr(optimizer, "build", None) or getattr(optimizer, "_create_all_weights", None)
    if make is not None and not is_built(optimizer):
        make(weights)
