"""Data objects after a `fit` that is not trained again: a later `fit` may use them too."""

import itertools
from typing import Any

from fitguard.keras.position.attributes import Attributes
from fitguard.keras.position.iterators import make_iterators


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
    elif hasattr(x, "__next__"):
        # Keras read ahead in a thread: how far cannot be known.
        for _ in itertools.islice(x, end["batches"]):
            pass
        return [
            "A Python generator that one fit has read goes on in another: how far Keras had read "
            "ahead is not known, so the later fit may see other batches."
        ]
    elif hasattr(x, "on_epoch_end"):
        Attributes(x).restore(end["attributes"])
    return []
