"""A fleet of functions on a real cluster: a closure and one that is imported, both killed."""

import subprocess
import sys

import pytest
from fleet.clusters import find_processes, small_cluster, wait_for
from fleet.test_cluster import count_snapshots, find_actor
from guarded.results import difference

from fitguard.fleet.jobs import build_jobs
from fitguard.fleet.needing import plan_need

SECONDS = 600
EPOCHS = "300"


def launch(folder, where, epochs=EPOCHS):
    return subprocess.Popen(
        [sys.executable, "launch.py", where, epochs],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def find_training(folder, name):
    """The process that `fitguard run` looks after."""
    below = find_actor(folder, name).children(recursive=True)
    return next(one for one in below if "fitguard.keras.bootstrap" in one.cmdline())


@pytest.mark.soak
def test_killed_actors_and_a_fleet_that_is_started_again(tmp_path, scripts, train_plainly):
    folder = scripts(tmp_path)
    with small_cluster("FakeA:450MiB,FakeB:250MiB") as cluster:
        fleet = launch(folder, cluster.address)
        try:
            wait_for(lambda: count_snapshots(folder, "closure"), SECONDS)
            find_training(folder, "closure").kill()  # its actor lives, and has the function
            before = count_snapshots(folder, "closure")
            wait_for(lambda: count_snapshots(folder, "closure") > before, SECONDS)
            for name in ("closure", "named-2"):
                wait_for(lambda name=name: count_snapshots(folder, name), SECONDS)
                find_actor(folder, name).kill()
            (folder / "go").touch()
            answer, said = fleet.communicate(timeout=SECONDS)
        finally:
            fleet.kill()
        told = answer.splitlines()
        assert told[:2] == ["closure: finished, 2 starts ", "named-2: finished, 2 starts "], said
        assert told[2].startswith("wrong: failed, 1 starts ")
        log = (folder / "fitguard-runs" / "wrong" / "output.log").read_text()
        assert "ValueError: this function is wrong" in log
        assert "fault of fitguard" not in log
        assert not find_processes(str(folder))

        # The words are the same at every start; with another argument they are others.
        answer, said = launch(folder, cluster.address).communicate(timeout=SECONDS)
        assert answer.splitlines()[0] == "closure: finished, 0 starts ", said
        answer, said = launch(folder, cluster.address, "301").communicate(timeout=SECONDS)
        assert "closure: refused, 0 starts" in answer, said
    ended = launch(folder, "plain")
    assert ended.wait(SECONDS) == 0
    assert not difference(folder / "closure.npz", folder / "plain.npz")
    assert not difference(folder / "closure-seen.npz", folder / "plain-seen.npz")
    assert not difference(folder / "named.npz", train_plainly(folder, "named", "2", EPOCHS))


@pytest.mark.soak
def test_functions_are_planned(tmp_path, scripts, monkeypatch):
    folder = scripts(tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = {"out": "out.npz", "seed": 1, "epochs": 1}
    (named,) = build_jobs(
        [{"name": "a", "function": "small:train", "arguments": arguments}], folder=folder
    )

    def train(**given):
        import small

        small.train(**given)

    (packed,) = build_jobs(
        [{"name": "a", "function": train, "arguments": arguments}], folder=folder
    )
    needs = [plan_need(job, 2**30, on_gpus=False) for job in (named, packed)]
    assert [need.problem for need in needs] == ["", ""]
    assert needs[0].memory_bytes == needs[1].memory_bytes
    assert not (folder / "out.npz").exists()
