"""A fleet on a real Ray cluster of two nodes, with real trainings, killed at all ends."""

import json
import subprocess
import sys

import pytest
from fleet.clusters import find_processes, small_cluster, start_fleet, wait_for
from guarded.results import difference

SECONDS = 300
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: short, run: small.py short.npz 1 3}
  - {name: long, run: small.py long.npz 2 200}
  - {name: wrong, run: wrong.py tries.txt}
  - {name: huge, run: small.py huge.npz 3 1, memory: 4GiB}
"""


@pytest.fixture(scope="module")
def cluster():
    with small_cluster("FakeA:300MiB,FakeB:250MiB", "FakeC:300MiB") as running:
        yield running


@pytest.fixture
def folder(tmp_path, scripts):
    return scripts(tmp_path)


def train_plainly(folder, name, *arguments):
    """The result of the script alone."""
    words = [sys.executable, "small.py", f"plain-{name}.npz", *arguments]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / f"plain-{name}.npz"


def find_actor(folder, name):
    """The actor that trains a run; it is the parent of who guards it."""
    guards = [one for one in find_processes(f"--name={name}") if one.cwd() == str(folder)]
    return guards[0].parent() if guards else None


def count_snapshots(folder, name):
    journal = folder / "fitguard-runs" / name / "journal.jsonl"
    return journal.read_text().count('"snapshot') if journal.exists() else 0


def test_killed_at_all_ends_and_started_again(cluster, folder):
    fleet = start_fleet(JOBS, folder, "--address", cluster.address)
    wait_for(lambda: count_snapshots(folder, "long"), SECONDS)
    find_actor(folder, "long").kill()
    before = count_snapshots(folder, "long")
    wait_for(lambda: count_snapshots(folder, "long") > before, SECONDS)
    wait_for((folder / "short.npz").exists, SECONDS)
    fleet.kill()
    fleet.communicate()
    wait_for(lambda: not find_processes(f"--runs-folder={folder}/fitguard-runs"), SECONDS)

    again = start_fleet(JOBS, folder, "--address", cluster.address)
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
    assert not difference(folder / "short.npz", train_plainly(folder, "short", "1", "3"))
    assert not difference(folder / "long.npz", train_plainly(folder, "long", "2", "200"))
    assert not find_processes(str(folder))
