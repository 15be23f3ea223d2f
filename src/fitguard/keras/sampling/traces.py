"""How often training steps were traced: each time costs seconds, and memory that stays."""

import contextlib
import weakref
from typing import Any

from fitguard.keras.traced import find_traced_functions


class TraceCounter:
    """Counts over all train functions of the process; a model may be trained by several `fit`."""

    def __init__(self) -> None:
        self._total = 0
        self._seen: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def count(self, train_function: Any) -> int:
        """So far, with those of this function."""
        with contextlib.suppress(Exception):  # a help, no condition
            for function in find_traced_functions(train_function):
                traced = function.experimental_get_tracing_count()
                self._total += traced - self._seen.get(function, 0)
                self._seen[function] = traced
        return self._total
