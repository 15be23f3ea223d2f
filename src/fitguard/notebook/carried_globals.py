"""Global values that carried code changes, such as a list that a callback appends to.

They are part of each snapshot: after a crash they are what they were at that step.
"""

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from fitguard.notebook.parcel.arrays import was_written_to
from fitguard.state.values import NotPlain, encode

_LARGE_BYTES = 1 << 20
"""A larger array would make each snapshot slow, and data are hardly ever changed."""


def find_carried_names() -> list[str]:
    """Global names that hold values: what came with carried code, and what that has added."""
    return [
        name
        for name, value in vars(sys.modules["__main__"]).items()
        if not name.startswith("__") and not callable(value) and not isinstance(value, ModuleType)
    ]


def values_of(names: Iterable[str]) -> dict[str, Any]:
    """What the names hold, where a snapshot can hold it."""
    main = vars(sys.modules["__main__"])
    return {name: main[name] for name in names if name in main and _is_kept(main[name])}


def put_values(values: Mapping[str, Any]) -> None:
    """Change what is there, so that all who hold it see it; else bind the name anew."""
    main = vars(sys.modules["__main__"])
    for name, value in values.items():
        there: Any = main.get(name)
        if type(there) is type(value) and isinstance(value, list | dict | set):
            there.clear()
            (there.extend if isinstance(there, list) else there.update)(value)
        elif isinstance(there, np.ndarray) and isinstance(value, np.ndarray):
            there[...] = value
        else:
            main[name] = value


def _is_kept(value: Any) -> bool:
    if isinstance(value, np.ndarray) and not _is_small_change(value):
        return False
    try:
        encode(value)
    except NotPlain:
        return False
    return True


def _is_small_change(array: np.ndarray) -> bool:
    return array.nbytes <= _LARGE_BYTES and was_written_to(array)
