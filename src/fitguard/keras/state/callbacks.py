"""What callbacks remember: EarlyStopping its best weights, ReduceLROnPlateau its patience, …

A callback of the user's can say itself what to keep, with `get_state` and `set_state`, or
`state_dict` and `load_state_dict`. Of all others the attributes are kept.
"""

import contextlib
import math
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fitguard.contract.callbacks import GIVEN
from fitguard.contract.libraries import is_of_keras
from fitguard.keras.state.attributes import AttributeReader, write_attributes
from fitguard.keras.state.callback_kinds import special
from fitguard.state.reach import TooMuch, reach
from fitguard.state.users import is_users
from fitguard.state.values import NotPlain, decode, encode

MOST_BYTES = 64 << 20
"""Of arrays in one attribute of a callback that is the user's own."""
_WAYS = (("get_state", "set_state"), ("state_dict", "load_state_dict"))


def read_callbacks(callbacks: Sequence[Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The state of callbacks: a document and arrays, for `write_callbacks` in another process."""
    arrays: dict[str, np.ndarray] = {}
    entries = []
    for number, callback in enumerate(callbacks):
        entries.append(_entry(callback, _reader(callback, arrays, number), arrays, number))
    return {"callbacks": entries}, arrays


def write_callbacks(
    callbacks: Sequence[Any], document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> list[str]:
    """Put the state back; a sentence for each thing that could not be."""
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
        else:
            notes.extend(_write_entry(callback, entry, dict(arrays)))
    return notes


def unsaved(callbacks: Sequence[Any]) -> list[str]:
    """Sentences on what the user's callbacks hold that no snapshot can; to be said once."""
    said: list[str] = []
    for callback in callbacks:
        name = type(callback).__qualname__
        if is_of_keras(type(callback)):
            said.extend(
                f"{name} uses {used}: what it changes there is not stored."
                for used in _outside(callback)
            )
            continue
        arrays: dict[str, np.ndarray] = {}
        reader = _reader(callback, arrays, 0)
        _entry(callback, reader, arrays, 0)
        for attribute, kind in reader.unsaved.items():
            said.append(
                f"{name}.{attribute} ({kind}) is not stored; get_state() and set_state(state) of "
                "the callback could say what to keep."
            )
    return list(dict.fromkeys(said))


def _entry(
    callback: Any, reader: AttributeReader, arrays: dict[str, np.ndarray], number: int
) -> dict[str, Any]:
    entry: dict[str, Any] = {"class": type(callback).__qualname__}
    way, told = _told(callback)
    if way:
        try:
            stored = encode(told, arrays, f"callbacks/{number}/told")
            return entry | {"way": way, "told": stored}
        except NotPlain as error:
            reader.unsaved["get_state()"] = str(error)
    how = special(callback)
    others = set() if how.only is None else vars(callback).keys() - how.only
    entry["state"] = reader.read(callback, GIVEN | how.skipped | others)
    return entry | {"special": how.read(callback)}


def _write_entry(
    callback: Any, entry: Mapping[str, Any], arrays: dict[str, np.ndarray]
) -> list[str]:
    name = type(callback).__qualname__
    if "told" in entry:
        return _tell(callback, entry["way"], decode(entry["told"], arrays))
    failed = write_attributes(callback, entry["state"], arrays)
    notes = [f"{name}.{attribute} could not be brought back." for attribute in failed]
    note = special(callback).write(callback, entry["special"])
    return [*notes, note] if note else notes


def _told(callback: Any) -> tuple[str, Any]:
    """How the callback wants its state back, and what it wants to be kept; empty without a say."""
    for read, write in _WAYS:
        if callable(getattr(callback, read, None)) and callable(getattr(callback, write, None)):
            with contextlib.suppress(Exception):
                return write, getattr(callback, read)()
    return "", None


def _tell(callback: Any, way: str, state: Any) -> list[str]:
    try:
        getattr(callback, way)(state)
    except Exception as error:
        return [f"{type(callback).__qualname__}.{way} failed: {error!r}."]
    return []


def _reader(callback: Any, arrays: dict[str, np.ndarray], number: int) -> AttributeReader:
    stock = {base.__name__ for base in type(callback).__mro__ if is_of_keras(base)}
    # Best weights may be large. A callback of the user's own rather holds data for validation.
    most_bytes = MOST_BYTES if stock <= {"Callback"} else math.inf
    model = getattr(callback, "model", None)
    return AttributeReader(arrays, f"callbacks/{number}/", model, most_bytes)


def _outside(callback: Any) -> list[str]:
    """Lists and the like outside of the callback that functions given to it use."""
    values = vars(callback).values()
    users = [value for value in values if isinstance(value, types.FunctionType) and is_users(value)]
    with contextlib.suppress(TooMuch):
        return [
            found.name
            for found in reach(users)
            if isinstance(found.thing, list | dict | set | np.ndarray)
        ]
    return []
