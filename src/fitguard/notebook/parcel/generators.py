"""Random generators: they go on where they were, on both sides."""

import importlib
import random
from typing import Any

import numpy as np

from fitguard.contract.libraries import PACKAGES
from fitguard.contract.random_sources import is_random_source, put_state, state_of
from fitguard.notebook.parcel.nodes import Generator
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_LIBRARIES = (*PACKAGES, "tensorflow")


def pack_generator(value: Any, packing: Packing, where: str) -> Packed:
    """A generator with its state, or NotMine."""
    kind = type(value)
    if not is_random_source(value) or kind.__module__.startswith("torch"):
        return NotMine
    name = kind.__name__
    if kind is np.random.Generator:
        name = f"numpy.{type(value.bit_generator).__name__}"
    return Generator(name, kind.__module__.split(".")[0], packing.node(state_of(value), where))


def make_generator(node: Generator, _: Unpacking) -> Any:
    """A new one; `fill_generator` gives it its state."""
    if node.of.startswith("numpy."):
        return np.random.Generator(getattr(np.random, node.of.removeprefix("numpy."))(0))
    if node.library in _LIBRARIES:
        cls = getattr(importlib.import_module(f"{node.library}.random"), node.of)
        return cls.from_seed(0) if node.library == "tensorflow" else cls(0)
    return random.Random() if node.of == "Random" else getattr(np.random, node.of)()


def fill_generator(value: Any, node: Generator, unpacking: Unpacking) -> None:
    """Let it go on where the other was."""
    put_state(value, unpacking.value(node.state))
