"""Callbacks that could not write: Keras would say so only after the first epoch."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fitguard.contract.libraries import is_a

_WRITERS = {
    "ModelCheckpoint": "filepath",
    "CSVLogger": "filename",
    "TensorBoard": "log_dir",
    "BackupAndRestore": "backup_dir",
}
"""The attribute that says where each writes."""


def find_unwritable(callbacks: Any) -> Iterator[str]:
    """What would fail; then, in a line of its own, what to do.

    Args:
        callbacks: As `fit` takes them.
    """
    for callback in callbacks if isinstance(callbacks, list | tuple) else [callbacks]:
        for kind, attribute in _WRITERS.items():
            target = getattr(callback, attribute, None) if is_a(callback, kind) else None
            why = _why_not(str(target)) if target else ""
            if why:
                yield (
                    f"{kind} cannot write to {target}: {why}\n"
                    "Give it another path, or make that one writable."
                )


def _why_not(target: str) -> str:
    """Empty where nothing speaks against it, and for what lies on another machine."""
    if "://" in target:
        return ""
    path = here = Path(target)
    while not os.access(here, os.F_OK):
        here = here.parent
    if here != path and not here.is_dir():
        return f"{here} is a file, and no folder"
    needed = os.W_OK | os.X_OK if here.is_dir() else os.W_OK
    return "" if os.access(here, needed) else f"you may not write to {here.absolute()}"
