"""Layers, losses, optimizers: as part of a model that goes over, or with values of their own."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import is_a, library_of
from fitguard.notebook.parcel.errors import ADVICE
from fitguard.notebook.parcel.keras_config import config_of, made_from_config
from fitguard.notebook.parcel.nodes import KerasObject, PartOf
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_KINDS = (
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


def pack_part(value: Any, packing: Packing, where: str) -> Packed:
    """A part of a model that is in the parcel, or NotMine."""
    found = packing.part_of(value)
    if found is None:
        return NotMine
    model, kind, index = found
    return PartOf(packing.node(model, where), kind, index)


def make_part(node: PartOf, unpacking: Unpacking) -> Any:
    """The same part of the model on this side."""
    model = unpacking.value(node.model)
    places = {place: part for part, place in parts_of(model)}
    return places[node.kind, node.index]


def pack_keras(value: Any, packing: Packing, where: str) -> Packed:
    """An object of Keras that has a config, or NotMine."""
    library = library_of(value) if is_a(value, *_KINDS) else None
    if library is None:
        return NotMine
    fields = config_of(value, library, where, ADVICE).nodes(packing, where)
    values = [np.asarray(variable) for variable in getattr(value, "variables", ())]
    nodes = [packing.node(array, f"a variable of {where}") for array in values]
    return KerasObject(library=library.package, variables=nodes, **fields)


def make_keras(node: KerasObject, unpacking: Unpacking) -> Any:
    """The object again; `fill_keras` gives it its values."""
    return made_from_config(node, unpacking)


def fill_keras(value: Any, node: KerasObject, unpacking: Unpacking) -> None:
    """Give its variables their values, where it has them."""
    variables = list(getattr(value, "variables", ()))
    if len(variables) == len(node.variables):
        for variable, array in zip(variables, node.variables, strict=True):
            variable.assign(unpacking.value(array))


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
