"""A training of two workers, each on a card of its own node."""

import json
import shutil

import pytest
from fleet.clusters import find_processes, small_cluster, wait_for
from guarded.real_gang import OUT, SCRIPT, RealGang

JOBS = f"""
jobs:
  - name: g
    run: gang.py {OUT} tf_keras
    workers: 2
    memory: 200MiB
    options: --snapshot-seconds 0.5
    environment: {{STEP_SECONDS: "0.15"}}
"""


@pytest.mark.soak
def test_a_lost_worker_lets_all_start_again(tmp_path, start):
    plain = RealGang(tmp_path / "plain", "tf_keras")
    plain.folder.mkdir()
    plain.train_plainly()
    folder = tmp_path / "fleet"
    folder.mkdir()
    shutil.copy(SCRIPT, folder / "gang.py")
    gang = RealGang(folder, "tf_keras")
    with small_cluster("A:300MiB", "B:300MiB") as cluster:
        fleet = start(JOBS, folder, "--address", cluster.address)
        wait_for(lambda: gang.steps() >= 12 and gang.complete(), 300)
        guards = find_processes("--worker=1")
        assert len({one.environ()["FITGUARD_CARDS"] for one in find_processes("--gang=g")}) == 2
        guards[0].parent().kill()
        answer, said = fleet.communicate(timeout=600)
        assert fleet.returncode == 0, said
        (training,) = json.loads(answer)["trainings"]
        assert (training["state"], training["starts"]) == ("finished", 2)
        assert not find_processes(str(folder))
    gang_results = gang.results()
    assert gang_results == plain.results()
