"""All that the next step depends on, into a snapshot and back."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from fitguard.keras.position import DataPosition
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.callbacks import read_callbacks, write_callbacks
from fitguard.keras.state.randomness import read_random, write_random
from fitguard.keras.state.variables import ModelState
from fitguard.schema.run import Place

_MODEL = "model/"
_CALLBACKS = "callbacks/"
READ_BY_DATA = ("python", "numpy")
"""Generators that reading the data may draw from."""

Arrays = dict[str, np.ndarray]


class OtherModel(Exception):
    """The model turns out to be another than that of the snapshot; the message says how."""


def recorded(
    model: Any,
    callbacks: Sequence[Any],
    place: Place,
    *,
    position: DataPosition | None = None,
    **more: Any,
) -> Content:
    """The state of a training between two steps, copied.

    Args:
        position: Of its data; None at the end of a `fit`.
        more: What else the document shall hold.
    """
    said, held = read_callbacks(callbacks)
    state = ModelState(model)
    arrays = {_MODEL + name: array for name, array in state.read().items()}
    arrays.update((_CALLBACKS + name, array) for name, array in held.items())
    document = {
        "place": msgspec.to_builtins(place),
        "position": position.read() if position is not None else None,
        "random": read_random(),
        "callbacks": said,
        "model": state.extra(),
        **more,
    }
    return Content(document=document, arrays=arrays)


def place_of(content: Content) -> Place:
    """Where a snapshot was taken."""
    return msgspec.convert(content.document["place"], Place)


def model_arrays(content: Content) -> Arrays:
    """The variables of the model."""
    return _under(content.arrays, _MODEL)


def put_back(
    content: Content, model: Any, callbacks: Sequence[Any], *, data_draw: bool = False
) -> list[str]:
    """Make model, callbacks and random numbers what they were; notes of what could not be.

    Args:
        data_draw: Whether reading the data draws from Python's and NumPy's generators: threads had
            read ahead, and these are as they should be after the way back.

    Raises:
        OtherModel: before anything is changed.
    """
    state, arrays = ModelState(model), model_arrays(content)
    misfit = state.misfit(arrays)
    if misfit:
        raise OtherModel(misfit)
    state.write(arrays)
    state.write_extra(content.document["model"])
    notes = write_callbacks(
        callbacks, content.document["callbacks"], _under(content.arrays, _CALLBACKS)
    )
    left = READ_BY_DATA if data_draw else ()
    write_random({name: s for name, s in content.document["random"].items() if name not in left})
    missing = [
        f"the variable {name} of the snapshot is not there any more, or not yet"
        for name in state.missing(arrays)[:1]
    ]
    return missing + notes


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
