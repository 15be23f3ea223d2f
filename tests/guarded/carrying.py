"""The state of callbacks, through the same JSON as in a snapshot, into others."""

import json
from typing import Any

import numpy as np

from fitguard.keras.fitting.recording import TrainingState
from fitguard.keras.snapshots.content import Content
from fitguard.schema.run import Place


def kept(callbacks: list[Any]) -> Content:
    """What a snapshot holds of them."""
    state = state_of(callbacks)
    assert state.step_is_made() == []
    return state.read(Place())


def brought_back(callbacks: list[Any], content: Content) -> list[str]:
    """Into others; what could not be."""
    document = json.loads(json.dumps(content.document))
    arrays = {name: np.array(array) for name, array in content.arrays.items()}
    state = state_of(callbacks)
    state.write_then(Content(document, arrays))
    return state.write(Content(document, arrays))


def state_of(callbacks: list[Any]) -> TrainingState:
    """Of callbacks alone: models are none of their state."""
    return TrainingState(None, callbacks)
