"""The global generators of random numbers, as JSON: of the libraries that are loaded."""

from collections.abc import Collection
from typing import Any

import numpy as np

from fitguard.contract.random_state import read_random_state, write_random_state
from fitguard.state.values import decode, encode

READ_BY_DATA = ("python", "numpy", "numpy-seeds", "torch")
"""Generators that reading the data may draw from."""


def read_random(names: Collection[str] | None = None) -> dict[str, Any]:
    """The state of each; None for a generator that was not made yet.

    Args:
        names: Only of these.
    """
    return {name: encode(state) for name, state in read_random_state(names).items()}


def write_random(document: dict[str, Any]) -> None:
    """Bring them into the state that `read_random` gave, in this process or another.

    Generators of libraries that are not loaded here, or were not there, are left alone.
    """
    write_random_state({name: decode(state) for name, state in document.items()})


def fingerprint_random() -> dict[str, Any]:
    """Something for each generator that changes when reading the data has drawn, at little cost."""
    return {name: _comparable(state) for name, state in read_random_state(READ_BY_DATA).items()}


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return [_comparable(held) for held in state.values()]
    return state.tobytes() if isinstance(state, np.ndarray) else state
