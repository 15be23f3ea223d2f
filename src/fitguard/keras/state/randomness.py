"""The global generators of random numbers, as JSON: of the libraries that are loaded."""

from typing import Any

from fitguard.contract.random_state import read_random_state, write_random_state
from fitguard.state.values import decode, encode


def read_random() -> dict[str, Any]:
    """The state of each; None for a generator that was not made yet."""
    return {name: encode(state) for name, state in read_random_state().items()}


def write_random(document: dict[str, Any]) -> None:
    """Bring them into the state that `read_random` gave, in this process or another.

    Generators of libraries that are not loaded here, or were not there, are left alone.
    """
    write_random_state({name: decode(state) for name, state in document.items()})
