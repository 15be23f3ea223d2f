"""Data objects after a `fit` that is not trained again: a later `fit` may use them too."""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from fitguard.contract.datasets.stages import DatasetStage
from fitguard.keras.position.iterators import make_iterators
from fitguard.keras.position.python_state import PythonState
from fitguard.keras.position.roots import data_roots, loader_roots, pipeline_roots

_passed: list[Any] = []
"""Generators that a finished `fit` had read; held, so that no other has their id."""


class _Unread(NamedTuple):
    """Iterators over a dataset that draws a new order each time that it repeats itself."""

    shuffles: set[int]
    iterators: list[Any]
    batches: int


_unread: list[_Unread] = []
"""Those of finished fits: how far they were read matters only for who shares their shuffle."""


def read_what_was_read(x: Any, alive: Callable[[], None]) -> None:
    """Before a `fit`: bring the shuffles that its data share with finished fits to where they were.

    Args:
        alive: Is told that this goes on: all that the finished fits had read is read again.
    """
    shared = [one for one in _unread if one.shuffles & _shuffles_of(x)]
    for unread in shared:
        _unread.remove(unread)
        each = -(-unread.batches // len(unread.iterators))
        for _ in itertools.chain(*(itertools.islice(one, each) for one in unread.iterators)):
            alive()


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
        if end["iterators"] > 0 and _repeats_shuffle(x):
            made = [iter(x) for _ in range(end["iterators"])]
            _unread.append(_Unread(_shuffles_of(x), made, end["batches"]))
        else:
            make_iterators(x, end["iterators"])
        return _restore_python(pipeline_roots(x), end)
    if hasattr(x, "__next__"):
        # Keras read ahead in a thread: how far cannot be known.
        for _ in itertools.islice(x, end["batches"]):
            pass
        _passed.append(x)
        return []
    roots = data_roots(x) if hasattr(x, "on_epoch_end") else loader_roots(x)
    return _restore_python(roots, end)


def _shuffles_of(x: Any) -> set[int]:
    """Stages that draw another order for each iterator over them, by id."""
    import tensorflow as tf

    if not isinstance(x, tf.data.Dataset):
        return set()
    return {id(stage.dataset) for stage in DatasetStage(x).pipeline() if stage.reshuffles}


def _repeats_shuffle(dataset: Any) -> bool:
    repeats = [stage for stage in DatasetStage(dataset).pipeline() if stage.name.endswith("repeat")]
    return any(_shuffles_of(stage.dataset) for stage in repeats)


def _restore_python(roots: dict[str, Any], end: dict[str, Any]) -> list[str]:
    """What could not be brought back of the Python objects."""
    state = PythonState(roots)
    state.inexact.clear()
    state.write(end["python"])
    return state.inexact
