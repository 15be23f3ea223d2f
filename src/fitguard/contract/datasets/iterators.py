"""Iterators over datasets."""

import contextlib
from collections.abc import Iterator
from typing import Any


def end_iterator(iterator: Any) -> None:
    """End its threads and Python generators now, whoever still holds it."""
    del iterator._iterator_resource


@contextlib.contextmanager
def reading_from(iterator: Any, other: Any) -> Iterator[None]:
    """Let an iterator of tf.data read from another one: Keras 2 holds one for a whole epoch."""
    if iterator is other:
        yield
        return
    # One that shares its batches out to replicas is made of others.
    held = "_iterator_resource" if hasattr(iterator, "_iterator_resource") else "_iterators"
    own = getattr(iterator, held)
    setattr(iterator, held, getattr(other, held))
    try:
        yield
    finally:
        setattr(iterator, held, own)
