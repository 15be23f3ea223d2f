"""Files as a power cut may leave them at any moment of a run, each opened by the real parts.

make soak
FITGUARD_SOAK_STATES=2000 FITGUARD_SOAK_SEED=7 .venv/bin/pytest -m soak tests/guarded/power
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from guarded.power.disk import Sync
from guarded.power.opening import Opening
from guarded.power.recording import Recorder, recording
from guarded.power.small_run import SmallRun
from guarded.power.states import MODELS, build_states

from fitguard.keras.world import territory

MEMORY = Path("/dev/shm")


@dataclass
class Count:
    """What was built and opened."""

    built: int = 0
    opened: int = 0
    bad: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.built} states of a power cut built, {self.opened} different ones opened, "
            f"{len(self.bad)} bad"
        )


@pytest.fixture(scope="module")
def record() -> Iterator[Recorder]:
    """What a run does to its files; states are built in the same place."""
    # A disk would have to be sure, thousands of times, of what nobody needs. Files below /dev do
    # not count as the script's own: here they do.
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with patch.object(territory, "_NEVER", ()), tempfile.TemporaryDirectory(dir=memory) as folder:
        home = Path(folder).resolve() / "home"
        home.mkdir()
        with recording(home) as recorder, contextlib.chdir(home):
            SmallRun(recorder).train()
            recorder.verify()
        shutil.rmtree(home)
        yield recorder


def open_states(record: Recorder, model: str, most: int, seed: str) -> Count:
    """Open each state of a model once."""
    count, seen, opening = Count(), set(), Opening(record.home)
    states = build_states(
        record.operations, record.kinds, MODELS[model], most=most, random=Random(seed)
    )
    for state in states:
        count.built += 1
        seen.add(hash((frozenset(state.contents.items()), len(state.promises))))
        if fault := opening.find_fault(state):
            count.bad.append(f"{model}, after {state.cut} operations: {fault}")
    count.opened = len(seen)
    return count


@pytest.mark.parametrize("model", MODELS)
def test_a_power_cut_costs_nothing_that_was_reported(
    model: str, record: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    count = open_states(record, model, most=2, seed="1")
    with capsys.disabled():
        print(f"\n{model}: {count}")  # noqa: T201
    assert not count.bad, "\n".join(count.bad[:9])


@pytest.mark.parametrize("model", MODELS)
def test_what_nobody_syncs_is_found_missing(model: str, record: Recorder) -> None:
    """That the states are as bad as they should be."""
    unsynced = Recorder(record.home.parent)
    unsynced.home, unsynced.kinds = record.home, record.kinds
    unsynced.operations = [one for one in record.operations if not isinstance(one, Sync)][:150]

    faults = " ".join(open_states(unsynced, model, most=4, seed="1").bad)

    for fault in ("an event that was synced is lost", "a torn snapshot has its name"):
        assert fault in faults


@pytest.mark.soak
@pytest.mark.parametrize("model", MODELS)
def test_many_power_cuts(model: str, record: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    most = int(os.environ.get("FITGUARD_SOAK_STATES", "300"))
    seed = os.environ.get("FITGUARD_SOAK_SEED") or str(Random().randrange(10**6))
    count = open_states(record, model, most, seed)
    with capsys.disabled():
        print(f"\nFITGUARD_SOAK_SEED={seed} {model}: {count}")  # noqa: T201
    assert not count.bad, "\n".join(count.bad[:9])
