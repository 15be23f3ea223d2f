"""The same trainings through Ray alone and through `fitguard fleet run`: time, crashes, work lost.

    make bench
    .venv/bin/python bench/fleet_against_ray.py --trainings 60

Real trainings of TensorFlow, of mixed sizes and lengths, on a Ray cluster of four nodes with seven
cards. A card is a part of host memory, and what a training may take of it is the limit of
TensorFlow's allocator. All nodes are on this machine: the trainings share its processors, and wait
in each epoch as they would for a GPU, so that cards are what there is too little of.

*one each*: a task of Ray for each training, with a card of its own. *by guess*: two of the smaller
ones share a card (`bench/fleet/ray_alone.py`). *fleet*: the memory of each is told; with `--takes`
also how long each takes. In each row a worker is killed when a tenth of all epochs is trained, and
a raylet when two fifths are; its node comes back after ten seconds.

*lost*: epochs that were trained more than once, and those of trainings that never finished; in the
row of the fleet, by the records of its runs. With `--calm`, nothing is killed.
*packing*: the time of the fleet, beside the best packing that is found afterwards for how long each
training was on its card. All share the processors, so that nobody knows how long each would have
taken elsewhere. *fullest card*: the most that all trainings on a card had in use at the same time,
by the records of their allocators.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fleet.card_memory import find_fullest, list_cards
from fleet.clusters import find_processes, small_cluster
from fleet.ray_alone import TRAINING
from fleet.real_trainings import EPOCH_SECONDS, RealTraining, draw_real
from fleet.reference import pack_offline
from fleet.sets import Training

from fitguard.fleet.declared import read_declared
from fitguard.schema.fleet import FleetCard
from fitguard.supervise.past_runs import read_run

NODES = ("A:400MiB,A:400MiB", "B:600MiB,B:600MiB", "C:300MiB,C:300MiB", "D:900MiB")
KILLED_NODE = 1
AWAY_SECONDS = 10.0
STEPS_PER_EPOCH = 4
START_SECONDS = 10.0
"""Of a guarded TensorFlow, roughly: what a user would add to the time of the epochs."""
MIB = 2**20
WAYS = ("one", "guess", "fleet")
NOT_ITS_OWN = ("finished", "preempted", "planned", "followed", "killed", "lost", "interrupted")
"""Ends of attempts that are no crash of the training; `killed` were those that this bench kills."""


class Row(NamedTuple):
    """What came of one way."""

    seconds: float
    finished: int
    starts: int
    crashes: int
    lost: int
    packing: float | None = None
    fullest: float | None = None


def main() -> None:
    """Print a row for each way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trainings", type=int, default=14)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--takes", action="store_true", help="tell the fleet how long each takes")
    parser.add_argument("--calm", action="store_true", help="kill nothing")
    given = parser.parse_args()
    path = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)  # for tasks on the nodes
    os.environ.update({"RAY_raylet_start_wait_time_s": "300"})  # the machine may be busy
    trainings = draw_real(given.trainings)
    epochs = [one.epochs for one in trainings]
    print(f"{len(trainings)} trainings of {min(epochs)} to {max(epochs)} epochs, {sum(epochs)} in "
          f"all; 4 nodes, 7 cards: {' | '.join(NODES)}; load {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{'':9}{'time':>9}{'finished':>10}{'starts':>8}{'crashes':>9}{'lost':>14}{'packing':>9}"
          f"{'fullest card':>14}{'load':>7}", flush=True)  # fmt: skip
    unknown = float("nan")
    for way in given.ways:
        with tempfile.TemporaryDirectory(prefix="fgb-", dir="/tmp") as name:
            row = measure(way, Path(name), trainings, given)
        print(f"{way:9}{row.seconds:7.0f} s{row.finished:>10}{row.starts:>8}{row.crashes:>9}"
              f"{row.lost:>7} epochs{row.packing or unknown:9.2f}"
              f"{row.fullest or unknown:14.2f}{os.getloadavg()[2]:7.1f}", flush=True)  # fmt: skip


def measure(
    way: str, folder: Path, trainings: Sequence[RealTraining], given: argparse.Namespace
) -> Row:
    """One way, on a cluster of its own."""
    with small_cluster(*NODES) as cluster:
        if way == "fleet":
            words = prepare_fleet(folder, cluster.address, trainings, tell_takes=given.takes)
        else:
            alone = [sys.executable, "-m", "fleet.ray_alone", cluster.address, str(folder)]
            words = [*alone, str(len(trainings)), way]
        began = time.monotonic()
        with (folder / "answer").open("w") as answer, (folder / "said.log").open("w") as said:
            process = subprocess.Popen(words, cwd=folder, stdout=answer, stderr=said)
        ended: list[float] = []
        thread = threading.Thread(target=wait, args=(process, ended), daemon=True)
        thread.start()
        if not given.calm:  # Ray adds nodes in the main thread only
            cause_faults(cluster, folder, trainings, process)
        thread.join()
        seconds = ended[0] - began
        if process.returncode:
            print((folder / "said.log").read_text()[-3000:], file=sys.stderr)
        for left in find_processes(f"{folder}/"):
            left.kill()  # what a raylet that was killed has left behind
    finished = sum(one.is_finished(folder) for one in trainings)
    if way != "fleet":
        starts = sum(one.count_starts(folder) for one in trainings)
        lost = sum(one.count_lost(folder) for one in trainings)
        file = folder / "crashes"
        crashes = len(file.read_text().splitlines()) if file.exists() else 0
        return Row(seconds, finished, starts, crashes, lost)
    reference = find_best(trainings, json.loads((folder / "answer").read_text()))
    # Files of the training tell nothing of it: they are put back to what the snapshot knows.
    runs = [read_run(one.name, runs_folder=folder / "fitguard-runs") for one in trainings]
    attempts = [attempt for run in runs for attempt in run.attempts]
    crashes = sum(attempt.outcome not in NOT_ITS_OWN for attempt in attempts)
    lost = round(sum(attempt.steps_lost for attempt in attempts) / STEPS_PER_EPOCH)
    fullest = max(find_fullest(runs, list_cards(NODES)).values())
    return Row(seconds, finished, len(attempts), crashes, lost, seconds / reference, fullest)


def prepare_fleet(
    folder: Path, address: str, trainings: Sequence[RealTraining], *, tell_takes: bool
) -> list[str]:
    """The file of jobs; the command."""
    jobs = []
    for one in trainings:
        run = [str(TRAINING), *one.list_words(folder)]
        job: dict[str, Any] = {"name": one.name, "run": run, "memory": f"{one.mib}MiB"}
        if tell_takes:
            job["takes"] = f"{one.epochs * EPOCH_SECONDS + START_SECONDS:.0f}s"
        jobs.append(job)
    defaults = {"options": "--snapshot-seconds 2"}
    (folder / "jobs.yaml").write_text(json.dumps({"defaults": defaults, "jobs": jobs}))
    words = ["fleet", "run", "jobs.yaml", "--format=json", f"--address={address}"]
    return [sys.executable, "-m", "fitguard", *words]


def wait(process: Any, ended: list[float]) -> None:
    """Note when a process ended, while a node is on its way back."""
    process.wait()
    ended.append(time.monotonic())


def cause_faults(
    cluster: Any, folder: Path, trainings: Sequence[RealTraining], process: Any
) -> None:
    """Kill a worker, then a raylet, each when so much was trained; bring the node back."""
    whole = sum(one.epochs for one in trainings)
    todo = [(0.1, lambda: kill_worker(folder, trainings)), (0.4, lambda: kill_raylet(cluster))]
    while process.poll() is None:
        trained = sum(len(set(one.list_epochs(folder))) for one in trainings)
        if todo and trained >= todo[0][0] * whole and todo[0][1]():
            del todo[0]
        time.sleep(0.3)


def kill_worker(folder: Path, trainings: Sequence[RealTraining]) -> bool:
    """One whose training has done a third to four fifths of its epochs; whether there is one."""
    for one in trainings:
        if not one.epochs / 3 <= len(one.list_epochs(folder)) <= one.epochs * 0.8:
            continue
        for process in find_processes(str(folder / f"{one.number}.txt")):
            for parent in process.parents():
                if parent.cmdline() and parent.cmdline()[0].startswith("ray::"):
                    parent.kill()
                    return True
    return False


def kill_raylet(cluster: Any) -> bool:
    """With all that trains there; it comes back."""
    cluster.kill_node(cluster.nodes[KILLED_NODE])
    time.sleep(AWAY_SECONDS)
    cluster.nodes[KILLED_NODE] = cluster.add_node(NODES[KILLED_NODE])
    return True


def find_best(trainings: Sequence[RealTraining], answer: dict[str, Any]) -> float:
    """Seconds of the best packing that is found, for as long as each was on its card."""
    seconds = {one["name"]: one["seconds"] for one in answer["trainings"]}
    known = [Training(one.name, one.mib * MIB, seconds[one.name]) for one in trainings]
    cards = [
        FleetCard(node=node, host=node, index=index, name=name, memory_bytes=memory_bytes)
        for node in NODES
        for index, (name, memory_bytes) in enumerate(read_declared(node))
    ]
    return pack_offline(known, cards, seed=1, tries=2000)


if __name__ == "__main__":
    main()
