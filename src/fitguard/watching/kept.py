"""An answer that is kept for a while: many may ask, and each answer has its cost."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_SHARE = 10
"""Making answers takes at most one part of so many of the time."""


class Kept(Generic[T]):
    """Makes an answer anew where the last one is old.

    Args:
        make: Makes it; an exception is not kept.
        seconds: How long it is good for, at least.
    """

    def __init__(self, make: Callable[[], T], seconds: float) -> None:
        self._make = make
        self._seconds = seconds
        self._answers: list[T] = []
        self._good_until = 0.0

    def get(self) -> T:
        """The answer."""
        began = time.monotonic()
        if not self._answers or began >= self._good_until:
            self._answers = [self._make()]
            took = time.monotonic() - began
            self._good_until = began + max(self._seconds, took * _SHARE)
        return self._answers[0]
