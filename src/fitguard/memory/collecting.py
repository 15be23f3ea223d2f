"""Python's garbage collector, which would take much of the time of a plan."""

import contextlib
import gc
from collections.abc import Iterator

_PYTHONS_OWN = 1000
"""Python 3.12 starts with some hundred objects frozen; who freezes objects has more."""


@contextlib.contextmanager
def sparing_old_objects() -> Iterator[None]:
    """Inside, the collector leaves alone what is there already.

    TensorFlow and Keras have a million objects. To look through them again and again, while a trace
    makes as many new ones, took a third of the time of a plan.
    """
    if gc.get_freeze_count() > _PYTHONS_OWN:  # the user's, who may want them to stay so
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Inside, nothing is collected: for what makes many objects, keeps most, and is soon over."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
