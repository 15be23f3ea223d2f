"""Many trainings on many cards, with faults all the time. A slice of it:

FITGUARD_SOAK_TRAININGS=12 FITGUARD_SOAK_FAULTS=6 .venv/bin/pytest -m soak tests/fleet/test_soak.py
"""

import json
import os
import random
import subprocess
import sys
import time

import pytest
from fleet.card_memory import find_fullest, list_cards
from fleet.clusters import find_processes, small_cluster, wait_for
from guarded.results import difference

import fitguard

TRAININGS = int(os.environ.get("FITGUARD_SOAK_TRAININGS", "60"))
FAULTS = int(os.environ.get("FITGUARD_SOAK_FAULTS", "50"))
SEED = int(os.environ.get("FITGUARD_SOAK_SEED", "1"))
BETWEEN_SECONDS = float(os.environ.get("FITGUARD_SOAK_BETWEEN_SECONDS", "20"))
AWAY_SECONDS = float(os.environ.get("FITGUARD_SOAK_AWAY_SECONDS", "60"))
KINDS_OF_FAULTS = os.environ.get(
    "FITGUARD_SOAK_KINDS",
    "kill_actor kill_actor kill_actor kill_guard kill_raylet kill_driver restart_head "
    "take_storage_away",
).split()
END_SECONDS = 4 * 3600
NODES = ("A:400MiB,A:400MiB", "B:600MiB,B:600MiB", "C:300MiB,C:300MiB", "D:900MiB")
KINDS = ((1, 40, 150), (2, 80, 200), (3, 120, 250), (4, 60, 300), (5, 30, 180), (6, 50, 550))
"""Seed, epochs and memory in MiB."""


class Faults:
    """What happens to a fleet."""

    def __init__(self, cluster, folder, start):
        self.cluster, self.folder = cluster, folder
        self.fleet = None
        self.log = (folder / "fleet.log").open("w")
        self._start = start
        self._random = random.Random(SEED)
        self.done = []

    def start(self, jobs):
        self._jobs = jobs
        words = ("--address", self.cluster.address)
        self.fleet = self._start(jobs, self.folder, *words, stderr=self.log)

    def cause_one(self):
        fault = getattr(self, self._random.choice(KINDS_OF_FAULTS))
        self.done.append(fault.__name__)
        self.log.write(f"--- {fault.__name__}\n")
        self.log.flush()
        fault()

    def kill_actor(self):
        guards = find_processes(f"--runs-folder={self.folder}")
        if guards:
            parent = self._random.choice(guards).parent()
            if parent is not None and parent.pid > 1:
                parent.kill()

    def kill_guard(self):
        guards = find_processes(f"--runs-folder={self.folder}")
        if guards:
            self._random.choice(guards).kill()

    def kill_raylet(self):
        node = self._random.randrange(len(NODES))
        self.cluster.kill_node(self.cluster.nodes[node])
        time.sleep(5)
        self.cluster.nodes[node] = self.cluster.add_node(NODES[node])

    def kill_driver(self):
        self.fleet.kill()
        self.fleet.communicate()
        self.start(self._jobs)

    def take_storage_away(self):
        """As when its disk goes: an empty folder is in its place."""
        runs, away = self.folder / "fitguard-runs", self.folder / "away"
        wait_for(lambda: list(runs.glob(".fleet-*")), END_SECONDS)
        runs.rename(away)
        runs.mkdir(0o700)
        time.sleep(AWAY_SECONDS)
        # A training that was being started has perhaps begun there.
        runs.rename(self.folder / f"made-meanwhile-{len(self.done)}")
        away.rename(runs)

    def restart_head(self):
        self.cluster.restart_head(after_seconds=10)


def write_jobs():
    lines = ["defaults: {options: --snapshot-seconds 2}", "jobs:"]
    for number in range(TRAININGS):
        seed, epochs, memory = KINDS[number % len(KINDS)]
        run = f"small.py {number}.npz {seed} {epochs} go"
        priority = number % 3
        lines.append(
            f"  - {{name: t{number}, run: {run}, memory: {memory}MiB, priority: {priority}}}"
        )
    return "\n".join(lines)


@pytest.mark.soak
def test_nothing_is_lost_nothing_is_done_twice(tmp_path, scripts, start):
    folder = scripts(tmp_path)
    with small_cluster(*NODES) as cluster:
        faults = Faults(cluster, folder, start)
        faults.start(write_jobs())
        while len(faults.done) < FAULTS and faults.fleet.poll() is None:
            time.sleep(BETWEEN_SECONDS)
            if faults.fleet.poll() is None:
                faults.cause_one()
        (folder / "go").touch()
        answer, _ = faults.fleet.communicate(timeout=END_SECONDS)
        said = (folder / "fleet.log").read_text()
        assert faults.fleet.returncode == 0, said[-5000:]
        states = [one["state"] for one in json.loads(answer)["trainings"]]
        assert states == ["finished"] * TRAININGS
        wait_for(lambda: not find_processes(str(folder)))
    for seed, epochs, _ in KINDS[:TRAININGS]:
        words = [sys.executable, "small.py", f"plain-{seed}.npz", str(seed), str(epochs)]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    for number in range(TRAININGS):
        plain = folder / f"plain-{KINDS[number % len(KINDS)][0]}.npz"
        assert not difference(folder / f"{number}.npz", plain), f"t{number} after {faults.done}"
    runs = [
        fitguard.read_run(f"t{number}", runs_folder=folder / "fitguard-runs")
        for number in range(TRAININGS)
    ]
    shares = find_fullest(runs, list_cards(NODES))
    faults.log.write(f"in use at most, of what each card has: {shares}\n")
    assert max(shares.values()) <= 1
