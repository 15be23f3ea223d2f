"""Data objects after a `fit` that is not trained again: a later `fit` may use them too."""

import itertools
from typing import Any

from fitguard.keras.position.iterators import make_iterators
from fitguard.keras.position.python_state import PythonState
from fitguard.keras.position.roots import data_roots, loader_roots, pipeline_roots

_passed: list[Any] = []
"""Generators that a finished `fit` had read; held, so that no other has their id."""


def why_passed(x: Any) -> list[str]:
    """Why a `fit` that goes on with the generator of a finished one may differ."""
    if not any(x is one for one in _passed):
        return []
    return [
        "This fit continues a Python generator that an earlier fit read before the restart. How "
        "far Keras had read ahead is unknown, so it may see other batches. Give each fit its own "
        "generator."
    ]


def pass_finished(x: Any, end: dict[str, Any]) -> list[str]:
    """Bring the training data of a finished `fit` to where that `fit` left them.

    Args:
        x: As it was given to `fit`.
        end: What `DataPosition.read_end` gave when it ended.

    Returns:
        Why a later `fit` with the same object may differ.
    """
    import tensorflow as tf

    if isinstance(x, tf.data.Dataset):
        make_iterators(x, end["iterators"])
        return _written(pipeline_roots(x), end)
    if hasattr(x, "__next__"):
        # Keras read ahead in a thread: how far cannot be known.
        for _ in itertools.islice(x, end["batches"]):
            pass
        _passed.append(x)
        return []
    roots = data_roots(x) if hasattr(x, "on_epoch_end") else loader_roots(x)
    return _written(roots, end)


def _written(roots: dict[str, Any], end: dict[str, Any]) -> list[str]:
    """What could not be brought back of the Python objects."""
    state = PythonState(roots)
    state.inexact.clear()
    state.write(end["python"])
    return state.inexact
