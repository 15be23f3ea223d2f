"""Layers, losses, optimizers: as part of a model that goes over, or with values of their own."""

import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import PACKAGES, is_a, library_of
from fitguard.contract.random_sources import is_random_source, put_state, state_of
from fitguard.notebook.parcel.keras_config import config_of, make_from_config
from fitguard.state.not_carried import ADVICE, NotCarried

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker

KERAS = (
    "Layer",
    "Metric",
    "Loss",
    "Optimizer",
    "LearningRateSchedule",
    "Initializer",
    "Regularizer",
    "Constraint",
    "DTypePolicy",
    "Policy",
)


def pack_part(value: Any, packing: "Packer") -> Any:
    """A part of a model that is in the parcel, as its place there; None for others."""
    found = packing.parts.get(id(value))
    if found is not None and packing.has_begun(found[0]):
        raise NotCarried("code of its model needs it before the model is there")
    return found


def make_part(packed: tuple[Any, str, int], _: "Unpacker") -> Any:
    """The same part of the model on this side."""
    model, kind, index = packed
    places = {place: part for part, place in parts_of(model)}
    return places[kind, index]


def pack_keras(value: Any, _: "Packer") -> Any:
    """The config of an object of Keras, and its values; None for others."""
    library = library_of(value) if is_a(value, *KERAS) else None
    return None if library is None else (config_of(value, library, ADVICE), values_of(value))


def make_keras(packed: Any, _: "Unpacker") -> Any:
    """The object again."""
    config, values = packed
    made = make_from_config(config)
    fill_keras(made, values)
    return made


def values_of(value: Any) -> list[np.ndarray]:
    """Those of its variables."""
    return [np.asarray(variable) for variable in getattr(value, "variables", ())]


def fill_keras(value: Any, values: list[np.ndarray]) -> None:
    """Give its variables their values, where it has them."""
    variables = list(getattr(value, "variables", ()))
    if len(variables) == len(values):
        for variable, array in zip(variables, values, strict=True):
            variable.assign(array)


def pack_generator(value: Any, _: "Packer") -> Any:
    """A random generator of Keras or TensorFlow, with its state; None for others."""
    package = type(value).__module__.split(".")[0]
    if package not in (*PACKAGES, "tensorflow") or not is_random_source(value):
        return None
    return package, type(value).__name__, state_of(value)


def make_generator(packed: tuple[str, str, Any], _: "Unpacker") -> Any:
    """The generator again."""
    package, name, state = packed
    cls = getattr(importlib.import_module(f"{package}.random"), name)
    made = cls.from_seed(0) if package == "tensorflow" else cls(0)
    put_state(made, state)
    return made


def parts_of(model: Any) -> Iterator[tuple[Any, tuple[str, int]]]:
    """What a model is made of, each with its place."""
    if getattr(model, "optimizer", None) is not None:
        yield model.optimizer, ("optimizer", 0)
    for index, layer in enumerate(flatten_layers(model)):
        if layer is not model:
            yield layer, ("layer", index)
    # Keras 2 raises where there are none yet.
    with contextlib.suppress(ValueError):
        for index, variable in enumerate(model.variables):
            yield variable, ("variable", index)
