"""The position in the training data: which batch is next, and how to come back to it."""

import contextlib
from collections.abc import Iterator

from fitguard.contract.patching import Wraps, patched
from fitguard.keras.position.ahead import Ahead, can_be_fed_back, iterator_over
from fitguard.keras.position.data_position import Between, DataPosition, PositionOf
from fitguard.keras.position.exactness import assess_validation
from fitguard.keras.position.fingerprint import fingerprint
from fitguard.keras.position.finished import pass_finished, read_what_was_read, why_passed
from fitguard.keras.position.iterators import counting_wraps, iterators_made
from fitguard.keras.position.reading import epoch_wraps
from fitguard.keras.position.sources import why_drawn_by_both
from fitguard.keras.position.unseeded import seeding_wraps

__all__ = [
    "Ahead",
    "Between",
    "DataPosition",
    "assess_validation",
    "can_be_fed_back",
    "epoch_iterators",
    "fingerprint",
    "iterator_over",
    "iterators_made",
    "pass_finished",
    "position_wraps",
    "read_what_was_read",
    "seeding_wraps",
    "why_drawn_by_both",
    "why_passed",
]


def position_wraps(position_of: PositionOf) -> Wraps:
    """What is put around Keras and TensorFlow so that positions are kept; for `patched`.

    Args:
        position_of: The position of the guarded `fit` that runs in the calling thread, if any.
    """
    return {**epoch_wraps(position_of), **counting_wraps()}


@contextlib.contextmanager
def epoch_iterators(position_of: PositionOf) -> Iterator[None]:
    """Keep positions meanwhile."""
    with patched(position_wraps(position_of)):
        yield
