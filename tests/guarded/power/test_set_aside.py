"""Snapshots that another script sets aside, and the right one finds again, with power cuts."""

from pathlib import Path

import numpy as np
import pytest
from guarded.power.recording import Recorder
from guarded.power.states import MODELS, State
from guarded.power.trying import built, open_states, recorded

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.run import Place

FOLDER = Path("snapshots")


def move_to_and_fro(recorder: Recorder) -> None:
    """Two scripts, of which the first one has trained further; then it comes back."""
    promised: list[str] = []

    def save(store: SnapshotStore, mark: str, fit: int, step: int, *, end: bool = False) -> None:
        numbers = np.full(60, len(promised))
        store.save(
            Content({"mark": mark}, {"x": numbers}), Place(fit=fit, total_steps=step), end=end
        )
        promised.append(mark)
        recorder.promise("snapshots", [*promised])

    first = SnapshotStore(FOLDER)
    save(first, "end of 1", 1, 5, end=True)
    save(first, "first", 2, 1)
    save(first, "second", 2, 2)
    other = SnapshotStore(FOLDER)
    other.set_aside(2, later=True)
    save(other, "of another", 2, 9)
    again = SnapshotStore(FOLDER)
    again.set_aside(2, later=True)
    found = again.newest(2)
    assert found is not None
    assert found.document["mark"] == "second"


def find_lost(home: Path, state: State) -> str:
    """Which snapshot is nowhere, after the next start has tidied up."""
    with built(home, state):
        SnapshotStore(FOLDER)
        found = {read_snapshot(path).document["mark"] for path in FOLDER.rglob("*.snapshot")}
    lost = {mark for marks in state.promised("snapshots") for mark in marks} - found
    return f"{sorted(lost)} of {sorted(found)}" if lost else ""


@pytest.mark.parametrize("model", MODELS)
def test_none_is_lost(model: str) -> None:
    with recorded(move_to_and_fro) as record:
        count = open_states(
            record, model, lambda state: find_lost(record.home, state), most=64, seed="1"
        )
    assert count.opened > 40
    assert not count.bad, "\n".join(count.bad[:9])
