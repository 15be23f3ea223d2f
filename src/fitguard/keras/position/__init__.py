"""The position in the training data: which batch is next, and how to come back to it."""

import contextlib
from collections.abc import Iterator

from fitguard.keras.position.ahead import Ahead, iterator_over
from fitguard.keras.position.data_position import Between, DataPosition, PositionOf
from fitguard.keras.position.fingerprint import fingerprint
from fitguard.keras.position.finished import pass_finished
from fitguard.keras.position.iterators import counting_methods, iterators_made
from fitguard.keras.position.keras3 import keras3_methods
from fitguard.keras.position.tf_keras_epochs import tf_keras_methods
from fitguard.keras.position.unseeded import seeding_methods
from fitguard.memory.fit_call.patching import Methods, patched

__all__ = [
    "Ahead",
    "Between",
    "DataPosition",
    "epoch_iterators",
    "fingerprint",
    "iterator_over",
    "iterators_made",
    "methods",
    "pass_finished",
    "seeding_methods",
]


def methods(position_of: PositionOf) -> Methods:
    """What is replaced so that positions are kept; for `patched`.

    Args:
        position_of: The position of the guarded `fit` that runs in the calling thread, if any.
    """
    return {**keras3_methods(position_of), **tf_keras_methods(position_of), **counting_methods()}


@contextlib.contextmanager
def epoch_iterators(position_of: PositionOf) -> Iterator[None]:
    """Keep positions meanwhile."""
    with patched(methods(position_of)):
        yield
