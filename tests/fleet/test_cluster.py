"""A fleet on a real Ray cluster of two nodes, with real trainings, killed at all ends."""

import json

import psutil
import pytest
from fleet.clusters import find_processes, small_cluster, wait_for
from guarded.results import difference

pytestmark = pytest.mark.soak
SECONDS = 300
CARDS = ("FakeA:300MiB,FakeB:250MiB", "FakeC:300MiB")
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: short, run: small.py short.npz 1 3}
  - {name: long, run: small.py long.npz 2 100 go}
  - {name: wrong, run: wrong.py tries.txt}
  - {name: huge, run: small.py huge.npz 3 1, memory: 4GiB}
"""


@pytest.fixture(scope="module")
def cluster():
    with small_cluster(*CARDS) as running:
        yield running


@pytest.fixture
def folder(tmp_path, scripts):
    return scripts(tmp_path)


def find_actor(folder, name):
    """The actor that trains a run; it is the parent of who guards it."""
    guards = [one for one in find_processes(f"--name={name}") if one.cwd() == str(folder)]
    return guards[0].parent() if guards else None


def count_snapshots(folder, name):
    journal = folder / "fitguard-runs" / name / "journal.jsonl"
    return journal.read_text().count('"event":"snapshot"') if journal.exists() else 0


def test_killed_at_all_ends_and_started_again(cluster, folder, start, train_plainly):
    fleet = start(JOBS, folder, "--address", cluster.address)
    wait_for(lambda: count_snapshots(folder, "long"), SECONDS)
    find_actor(folder, "long").kill()
    before = count_snapshots(folder, "long")
    wait_for(lambda: count_snapshots(folder, "long") > before, SECONDS)
    wait_for((folder / "short.npz").exists, SECONDS)
    fleet.kill()
    fleet.communicate()
    wait_for(lambda: not find_processes(f"--runs-folder={folder}/fitguard-runs"), SECONDS)

    (folder / "go").touch()
    again = start(JOBS, folder, "--address", cluster.address)
    answer, said = again.communicate(timeout=SECONDS)
    assert again.returncode == 3, said
    states = {one["name"]: one for one in json.loads(answer)["trainings"]}
    assert {name: one["state"] for name, one in states.items()} == {
        "short": "finished",
        "long": "finished",
        "wrong": "failed",
        "huge": "refused",
    }
    assert "FakeA" in states["huge"]["why"] or "FakeC" in states["huge"]["why"]
    assert (folder / "tries.txt").read_text().count("tried") <= 4
    assert not difference(folder / "long.npz", train_plainly(folder, "long", "2", "100"))
    assert not find_processes(str(folder))


TWO = """
defaults: {memory: 280MiB}
jobs:
  - {name: low, run: waits.py low.txt stop}
  - {name: high, run: waits.py high.txt stop, priority: 5}
"""


def read_pid(file):
    return int(file.read_text() or 0) if file.exists() else 0


def test_a_lost_node_priorities_and_a_node_that_comes_back(cluster, folder, start):
    low, high = folder / "low.txt", folder / "high.txt"
    fleet = start(TWO, folder, "--address", cluster.address)
    wait_for(lambda: read_pid(low) and read_pid(high), SECONDS)
    first_low, first_high = read_pid(low), read_pid(high)
    cards = psutil.Process(first_high).environ()["FITGUARD_CARDS"]
    lost = CARDS.index(cards)
    cluster.kill_node(cluster.nodes[lost])
    # The higher one takes the place of the lower one, which waits for a card.
    wait_for(lambda: read_pid(high) not in (0, first_high), SECONDS)
    assert not psutil.pid_exists(first_low)
    cluster.nodes[lost] = cluster.add_node(cards)
    wait_for(lambda: read_pid(low) not in (0, first_low), SECONDS)
    assert psutil.Process(read_pid(low)).environ()["FITGUARD_CARDS"] == cards
    (folder / "stop").touch()
    answer, said = fleet.communicate(timeout=SECONDS)
    assert fleet.returncode == 0, said
    trainings = json.loads(answer)["trainings"]
    assert [(one["state"], one["starts"]) for one in trainings] == [("finished", 2)] * 2
    assert "leaves for high" in said
