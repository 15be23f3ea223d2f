"""Iterators over datasets."""

from typing import Any


def end_iterator(iterator: Any) -> None:
    """End its threads and Python generators now, whoever still holds it."""
    del iterator._iterator_resource
