"""Files as a power cut may leave them at any moment of a run, each opened by the real parts.

make soak
FITGUARD_SOAK_STATES=500 FITGUARD_SOAK_SEED=7 .venv/bin/pytest -m soak tests/guarded/power
"""

import os
from collections.abc import Iterator
from random import Random
from unittest.mock import patch

import pytest
from guarded.power.disk import Sync
from guarded.power.opening import Opening
from guarded.power.recording import Recorder
from guarded.power.small_run import SmallRun
from guarded.power.states import MODELS
from guarded.power.trying import Count, open_states, recorded


@pytest.fixture(scope="module")
def record() -> Iterator[Recorder]:
    """What a run does to its files."""
    with recorded(lambda recorder: SmallRun(recorder).train()) as recorder:
        yield recorder


def open_run(record: Recorder, model: str, most: int, seed: str) -> Count:
    return open_states(record, model, Opening(record.home).find_fault, most=most, seed=seed)


@pytest.mark.parametrize("model", MODELS)
def test_a_power_cut_costs_nothing_that_was_reported(
    model: str, record: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    count = open_run(record, model, most=4, seed="1")
    with capsys.disabled():
        print(f"\n{model}: {count}")  # noqa: T201
    assert not count.bad, "\n".join(count.bad[:9])


@pytest.mark.parametrize("model", MODELS)
def test_what_nobody_syncs_is_found_missing(model: str, record: Recorder) -> None:
    """That the states are as bad as they should be."""
    unsynced = Recorder(record.home.parent)
    unsynced.home, unsynced.kinds = record.home, record.kinds
    unsynced.operations = [one for one in record.operations if not isinstance(one, Sync)][:160]

    faults = " ".join(open_run(unsynced, model, most=16, seed="1").bad)

    for fault in ("an event that was synced is lost", "a torn snapshot has its name"):
        assert fault in faults


@pytest.mark.soak
@pytest.mark.parametrize(
    "sync",
    [
        "keras.snapshots.file.sync_file",
        "keras.snapshots.file.sync_folder",
        "keras.world.contents.sync_file",
        "keras.world.contents.sync_folder",
        "keras.world.aside.sync_file",
        "monitor.journal.sync_file",
        "monitor.journal.sync_folder",
        "supervise.claim.sync_folder",
    ],
)
def test_without_one_of_them_something_is_lost(sync: str) -> None:
    with (
        patch(f"fitguard.{sync}", lambda _: ""),
        recorded(lambda recorder: SmallRun(recorder).train()) as record,
    ):
        count = open_run(record, "hostile", most=20, seed="1")
    assert count.bad


@pytest.mark.soak
@pytest.mark.parametrize("model", MODELS)
def test_many_power_cuts(model: str, record: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    most = int(os.environ.get("FITGUARD_SOAK_STATES", "150"))
    seed = os.environ.get("FITGUARD_SOAK_SEED") or str(Random().randrange(10**6))
    count = open_run(record, model, most, seed)
    with capsys.disabled():
        print(f"\nFITGUARD_SOAK_SEED={seed} {model}: {count}")  # noqa: T201
    assert not count.bad, "\n".join(count.bad[:9])
