"""Global values that carried code changes, such as a list that a callback appends to.

They are part of each snapshot: after a crash they are what they were at that step.
"""

import importlib
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from fitguard.keras.state.plain import NotPlain, encode
from fitguard.notebook.parcel.arrays import was_written_to

_LARGE_BYTES = 1 << 20
"""A larger array would make each snapshot slow; data are not changed anyway."""


def globals_callback(library: str, names: Iterable[str]) -> Any:
    """A callback whose state are the values of these names."""
    base: Any = importlib.import_module(f"{library}.callbacks").Callback

    class CarriedGlobals(base):  # type: ignore[misc]
        """Has nothing to do in training."""

        def get_state(self) -> dict[str, Any]:
            """The values that a snapshot can hold."""
            return _plain_values(names)

        def set_state(self, state: dict[str, Any]) -> None:
            """Give them back."""
            for name, value in state.items():
                _put(name, value)

    return CarriedGlobals()


def _plain_values(names: Iterable[str]) -> dict[str, Any]:
    main = vars(sys.modules["__main__"])
    found = {}
    for name in names:
        value = main.get(name)
        if isinstance(value, np.ndarray) and not _is_small_change(value):
            continue
        try:
            encode(value)
        except NotPlain:
            continue
        found[name] = value
    return found


def _is_small_change(array: np.ndarray) -> bool:
    return array.nbytes <= _LARGE_BYTES and was_written_to(array)


def _put(name: str, value: Any) -> None:
    """Change what is there, so that all who hold it see it; else replace it."""
    main = vars(sys.modules["__main__"])
    there = main.get(name)
    if type(there) is type(value) and isinstance(value, list | dict | set):
        there.clear()
        (there.extend if isinstance(there, list) else there.update)(value)
    elif isinstance(there, np.ndarray) and isinstance(value, np.ndarray):
        there[...] = value
    else:
        main[name] = value
