"""The position in the training data: which batch is next, and how to come back to it.

    Keras makes an iterator ──> reading ──> Epochs, Track ──> DataPosition ──> a snapshot
    a snapshot ──> DataPosition ──> Track: the data as they were, batches skipped ──> the next batch

While it trains
    reading.py        put around what Keras reads its data with
    epochs.py         the epochs of one `fit`, for Keras 2 and Keras 3
    track.py          follows the iterators of one dataset, and leads back to a moment.py of it
    data_position.py  where the training is; what snapshots keep
    ahead.py          the batches of the next step, before Keras takes them
    iterators.py      how many iterators were made over each dataset
    validation.py     the same for validation data

What reading changes
    python_state.py   Python objects, from their roots.py on
    dataset_variables.py
                      variables that functions of a dataset use
    unseeded.py       random orders without a seed: they come from the seed of the run

After a restart
    fingerprint.py    whether a batch is the one that was seen before
    finished.py       data objects after a `fit` that is not trained again

What cannot be exact
    exactness.py      told from the data before the first step
    sources.py        what the user's code says about random numbers
    drawing.py        whether making a batch draws from generators that all batches share
"""

import contextlib
from collections.abc import Iterator

from fitguard.contract.patching import Wraps, patching
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
    """What is put around Keras and TensorFlow so that positions are kept; for `patching`.

    Args:
        position_of: The position of the guarded `fit` that runs in the calling thread, if any.
    """
    return {**epoch_wraps(position_of), **counting_wraps()}


@contextlib.contextmanager
def epoch_iterators(position_of: PositionOf) -> Iterator[None]:
    """Keep positions meanwhile."""
    with patching(position_wraps(position_of)):
        yield
