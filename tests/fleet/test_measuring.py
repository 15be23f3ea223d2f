"""Trainings that cannot be planned: what they take is measured while they train."""

import json
import os

import pytest
from fleet.clusters import wait_for
from guarded.results import difference

from fitguard.fleet.measuring import apply_measured
from fitguard.fleet.needing import Need
from fitguard.fleet.planning import apply_need
from fitguard.fleet.records import read_record
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import FleetJob

GIB = 2**30
SECONDS = 300


def make_unplanned(workers=1):
    job = FleetJob(name="a", command=("-m", "project"), folder="/project", workers=workers)
    one = Training(job)
    apply_need(one, Need(problem="a module cannot be planned"), 24 * GIB)
    return one


@pytest.mark.parametrize(
    ("peak", "whole", "asked_for"), [(4, False, 5 * GIB), (18, True, None), (0, True, None)]
)
def test_what_was_measured_is_asked_for_where_it_leaves_room(peak, whole, asked_for):
    one = make_unplanned()
    apply_measured(one, peak * GIB, 24 * GIB, on_gpus=False)
    assert (one.takes_whole, one.memory_bytes) == (whole, asked_for)
    assert one.is_unknown == (peak == 0)


def test_on_a_gpu_the_process_itself_takes_some():
    one = make_unplanned()
    apply_measured(one, 4 * GIB, 24 * GIB, on_gpus=True)
    assert one.memory_bytes > 5 * GIB


def test_it_is_measured_once():
    one = make_unplanned()
    apply_measured(one, 4 * GIB, 24 * GIB, on_gpus=False)
    one.takes_whole = True  # it ran out of memory with that
    apply_measured(one, 4 * GIB, 24 * GIB, on_gpus=False)
    assert one.takes_whole


def test_of_several_workers_nobody_is_measured():
    one = make_unplanned(workers=2)
    apply_measured(one, 4 * GIB, 24 * GIB, on_gpus=False)
    assert one.takes_whole


JOBS = """
defaults: {options: --snapshot-seconds 1}
jobs:
  - {name: unknown, run: -m small unknown.npz 1 200 go, priority: 1}
  - {name: other, run: small.py other.npz 2 200 go, memory: 200MiB}
"""


@pytest.mark.soak
def test_it_makes_room_on_its_card_and_ends_the_same(tmp_path, scripts, start, train_plainly):
    folder = scripts(tmp_path)
    cards = {**os.environ, "FITGUARD_CARDS": "FakeA:500MiB"}
    fleet = start(JOBS, folder, "--local", environment=cards)
    runs = folder / "fitguard-runs"
    wait_for(lambda: read_record(runs, "unknown").attempts == 2, SECONDS)
    wait_for(lambda: read_record(runs, "other").kept.total_steps, SECONDS)
    (folder / "go").touch()
    answer, said = fleet.communicate(timeout=SECONDS)
    assert fleet.returncode == 0, said
    assert "unknown was measured" in said
    unknown = json.loads(answer)["trainings"][0]
    assert unknown["starts"] == 2
    assert unknown["memory_bytes"] < 300 * 2**20
    assert not difference(folder / "unknown.npz", train_plainly(folder, "unknown", "1", "200"))
