"""The same trainings through Ray alone and through `fitguard fleet run`: time, crashes, work lost.

    make bench
    .venv/bin/python bench/fleet_against_ray.py --trainings 60

Real trainings of TensorFlow on the CPU; a card is a part of host memory, and what a training may
take of it is the limit of TensorFlow's allocator. *one each*: a task of Ray with `num_gpus=1` for
each training. *by guess*: `num_gpus=0.5`, so that two share a card and each has half of it.
*fleet*: the memory of each is told, and the fleet packs. In all three, one worker is killed while
its training is under way; Ray starts that one again by itself. *lost*: epochs that were trained
more than once, and those of trainings that never finished.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fitguard.fleet.declared import CARDS_VARIABLE, read_declared

TRAINING = Path(__file__).parent / "guard" / "fleet_training.py"
CARDS = "A:600MiB,A:600MiB,B:400MiB"
NEEDS = (150, 280, 150, 380, 200, 150)
"""MiB of one training after the other."""
EPOCHS = 60
MIB = 2**20


class Figures(NamedTuple):
    """What came of one way."""

    way: str
    seconds: float
    finished: int
    crashes: int
    lost: int


def main() -> None:
    """Print a row for each way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trainings", type=int, default=12)
    count = parser.parse_args().trainings
    needs = [NEEDS[number % len(NEEDS)] for number in range(count)]
    print(f"{count} trainings on cards {CARDS}, one worker killed")
    print(f"{'':10}{'time':>9}{'finished':>10}{'crashes':>9}{'lost':>14}")
    for way, train in (("one each", 1.0), ("by guess", 0.5), ("fleet", None)):
        with tempfile.TemporaryDirectory(prefix="fgb-", dir="/tmp") as name:
            figures = _measure(way, Path(name), needs, train)
        print(
            f"{figures.way:10}{figures.seconds:7.0f} s{figures.finished:>10}{figures.crashes:>9}"
            f"{figures.lost:>7} epochs"
        )


def _measure(way: str, folder: Path, needs: list[int], share: float | None) -> Figures:
    if share is None:
        words = _prepare_fleet(folder, needs)
    else:
        words = [sys.executable, __file__, "--ray", str(share), *map(str, needs)]
    environment = {**os.environ, CARDS_VARIABLE: CARDS, "RAY_AUTH_MODE": "disabled"}
    began = time.monotonic()
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    _kill_one_worker(folder, process)
    answer = process.communicate()[0].decode()
    seconds = time.monotonic() - began
    epochs = [_read_epochs(folder / f"{number}.txt") for number in range(len(needs))]
    finished = sum(EPOCHS - 1 in trained for trained in epochs)
    lost = sum(len(trained) - len(set(trained)) for trained in epochs)
    lost += sum(len(set(trained)) for trained in epochs if EPOCHS - 1 not in trained)
    return Figures(way, seconds, finished, answer.count("crashed"), lost)


def _prepare_fleet(folder: Path, needs: list[int]) -> list[str]:
    shutil.copy(TRAINING, folder / "train.py")
    jobs = ["defaults: {options: --snapshot-seconds 1}", "jobs:"]
    for number, need in enumerate(needs):
        run = f"train.py {number}.txt {need} {EPOCHS}"
        jobs.append(f"  - {{name: t{number}, run: {run}, memory: {need}MiB}}")
    (folder / "jobs.yaml").write_text("\n".join(jobs))
    return [sys.executable, "-m", "fitguard", "fleet", "run", "jobs.yaml", "--local"]


def _kill_one_worker(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """The worker of Ray, once its training has trained for a third of its epochs."""
    import psutil

    while process.poll() is None:
        for file in folder.glob("*.txt"):
            if EPOCHS // 3 <= len(_read_epochs(file)) < EPOCHS - 5:
                for one in psutil.Process(process.pid).children(recursive=True):
                    if (
                        any(file.name == Path(word).name for word in one.cmdline())
                        and (parent := _find_worker(one)) is not None
                    ):
                        os.kill(parent, signal.SIGKILL)
                        return
        time.sleep(0.1)


def _find_worker(process: object) -> int | None:
    for parent in process.parents():  # type: ignore[attr-defined]
        if parent.cmdline() and parent.cmdline()[0].startswith("ray::"):
            return int(parent.pid)
    return None


def _read_epochs(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def _train_with_ray(share: float, needs: list[int]) -> None:
    """All trainings as tasks of Ray."""
    import ray

    cards = read_declared(os.environ[CARDS_VARIABLE])
    ray.init(address="local", num_gpus=len(cards), include_dashboard=False, log_to_driver=False)

    folder = Path.cwd()

    def train(number: int, need: int) -> int:
        index = int(os.environ["CUDA_VISIBLE_DEVICES"])
        limit = int(cards[index][1] * share) // MIB
        environment = {
            **os.environ,
            "CUDA_VISIBLE_DEVICES": "-1",
            "TF_CPU_ALLOCATOR_USE_BFC": "1",
            "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(limit),
        }
        words = [
            sys.executable,
            str(TRAINING),
            str(folder / f"{number}.txt"),
            str(need),
            str(EPOCHS),
        ]
        return subprocess.run(words, env=environment, check=False).returncode

    task: Callable[..., object] = ray.remote(num_cpus=0, num_gpus=share, max_retries=3)(train)
    promises = [task.remote(*given) for given in enumerate(needs)]  # type: ignore[attr-defined]
    print("\n".join("crashed" for code in ray.get(promises) if code))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ray"]:
        _train_with_ray(float(sys.argv[2]), [int(need) for need in sys.argv[3:]])
    else:
        main()
