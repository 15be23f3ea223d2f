"""Data objects after a `fit` that is not trained again: a later `fit` may use them too."""

import itertools
from typing import Any

from fitguard.keras.position.iterators import make_iterators
from fitguard.keras.position.python_state import PythonState
from fitguard.keras.position.roots import data_roots, loader_roots, pipeline_roots


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
        return [
            "Should a later fit go on with the Python generator that this one has read, it may see "
            "other batches: how far Keras had read ahead is not known."
        ]
    roots = data_roots(x) if hasattr(x, "on_epoch_end") else loader_roots(x)
    return _written(roots, end)


def _written(roots: dict[str, Any], end: dict[str, Any]) -> list[str]:
    """What could not be brought back of the Python objects."""
    state = PythonState(roots)
    state.inexact.clear()
    state.write(end["python"])
    return state.inexact
