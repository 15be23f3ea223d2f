"""What callbacks keep besides their attributes: files, times, and what they say themselves.

A callback of the user's can say what to keep, with `get_state` and `set_state`, or `state_dict` and
`load_state_dict`. Of all others the attributes are kept, with all other Python state.
"""

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from fitguard.keras.state.callback_kinds import special
from fitguard.state.values import decode, encode

_WAYS = (("get_state", "set_state"), ("state_dict", "load_state_dict"))


def read_callbacks(callbacks: Sequence[Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A document and arrays, for `write_callbacks` in another process."""
    arrays: dict[str, np.ndarray] = {}
    entries = [_entry(callback, arrays, number) for number, callback in enumerate(callbacks)]
    return {"callbacks": entries}, arrays


def write_callbacks(
    callbacks: Sequence[Any], document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> list[str]:
    """Put it back; a sentence for each thing that could not be."""
    entries = document["callbacks"]
    notes = []
    if len(entries) != len(callbacks):
        notes.append(
            f"There are {len(callbacks)} callbacks now, and {len(entries)} in the snapshot: only "
            "those at the same place with the same class go on."
        )
    for callback, entry in zip(callbacks, entries, strict=False):
        name = type(callback).__qualname__
        if name != entry["class"]:
            notes.append(f"Callback {name} begins anew: in its place was {entry['class']}.")
        elif "told" in entry:
            notes.extend(_tell(callback, entry["way"], decode(entry["told"], arrays)))
        elif note := special(callback).write(callback, entry["special"]):
            notes.append(note)
    return notes


def select_skipped_attributes(callback: Any) -> Collection[str] | None:
    """Attributes that are none of the Python state; None for all of them."""
    if _ask_state(callback)[0]:
        return None
    how = special(callback)
    others = set() if how.only is None else vars(callback).keys() - how.only
    return how.skipped | others


def _entry(callback: Any, arrays: dict[str, np.ndarray], number: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"class": type(callback).__qualname__}
    way, told = _ask_state(callback)
    if way:
        return entry | {"way": way, "told": encode(told, arrays, f"{number}/told")}
    return entry | {"special": special(callback).read(callback)}


def _ask_state(callback: Any) -> tuple[str, Any]:
    """How the callback wants its state back, and what it wants to be kept; empty without a say."""
    for read, write in _WAYS:
        if callable(getattr(callback, read, None)) and callable(getattr(callback, write, None)):
            with contextlib.suppress(Exception):
                told = getattr(callback, read)()
                with_room: dict[str, np.ndarray] = {}
                encode(told, with_room)
                return write, told
    return "", None


def _tell(callback: Any, way: str, state: Any) -> list[str]:
    try:
        getattr(callback, way)(state)
    except Exception as error:
        return [f"{type(callback).__qualname__}.{way} failed: {error!r}."]
    return []
