"""The head of the cluster dies while trainings run, and comes back with its books, or does not."""

import json

import pytest
from fleet.clusters import find_processes, small_cluster, wait_for
from guarded.results import difference

from fitguard.fleet.records import read_record

pytestmark = pytest.mark.soak
SECONDS = 300
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: first, run: small.py first.npz 1 60 go, priority: 1}
  - {name: second, run: small.py second.npz 2 60 go}
"""


def count_steps(folder, name):
    return read_record(folder / "fitguard-runs", name).kept.total_steps


def test_trainings_outlive_it_and_the_line_goes_on(tmp_path, scripts, start, train_plainly):
    folder = scripts(tmp_path)
    with small_cluster("FakeA:300MiB") as cluster:
        fleet = start(JOBS, folder, "--address", cluster.address)
        wait_for(lambda: count_steps(folder, "first"), SECONDS)
        cluster.restart_head(after_seconds=20)
        before = count_steps(folder, "first")
        wait_for(lambda: count_steps(folder, "first") > before, SECONDS)
        (folder / "go").touch()
        answer, said = fleet.communicate(timeout=SECONDS)
        assert fleet.returncode == 0, said
        trainings = json.loads(answer)["trainings"]
        assert [(one["state"], one["starts"]) for one in trainings] == [("finished", 1)] * 2
        wait_for(lambda: not find_processes(str(folder)))
    for name, seed in (("first", "1"), ("second", "2")):
        assert not difference(folder / f"{name}.npz", train_plainly(folder, name, seed, "60"))
