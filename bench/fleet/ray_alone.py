"""The same trainings as tasks of Ray alone: `ray_alone.py ADDRESS FOLDER COUNT one|guess`.

A task starts its training in a process, as `subprocess.run` does it, and raises where that fails:
Ray tries it four times. TensorFlow may take of a card what Ray was asked for. As Ray knows nothing
of memory, *one* asks for a whole card, and *guess* for half of one where the training needs no more
than half of the middle card, else for a whole one.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fleet.real_trainings import RealTraining, draw_real

from fitguard.fleet.declared import CARDS_VARIABLE, read_declared

MIDDLE_MIB = 400
CRASHED = "has ended with"
TRAINING = Path(__file__).parent.parent / "guard" / "fleet_training.py"


def choose_share(training: RealTraining, way: str) -> float:
    """What Ray is asked for."""
    return 0.5 if way == "guess" and training.mib <= MIDDLE_MIB / 2 else 1.0


def train(training: tuple[int, int, int], share: float, folder: str) -> None:
    """On the card that Ray gave; a crash is a line in the file of crashes."""
    one = RealTraining(*training)
    index = int(os.environ["CUDA_VISIBLE_DEVICES"])
    _, card_bytes = read_declared(os.environ[CARDS_VARIABLE])[index]
    limits = {
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(int(card_bytes * share) // 2**20),
    }
    words = [sys.executable, str(TRAINING), *one.list_words(Path(folder))]
    code = subprocess.run(
        words, env=os.environ | limits, check=False, stderr=subprocess.DEVNULL
    ).returncode
    if code:
        with (Path(folder) / "crashes").open("a") as file:
            file.write(f"{one.name} {code}\n")
        raise RuntimeError(f"{one.name} {CRASHED} {code}")


def main(address: str, folder: str, count: str, way: str) -> None:
    """All of them, to their end or to their last try."""
    import ray

    ray.init(address=address, log_to_driver=False)
    tasks: list[Any] = []
    for one in draw_real(int(count)):
        share = choose_share(one, way)
        task = ray.remote(train).options(
            num_cpus=0, num_gpus=share, max_retries=3, retry_exceptions=True
        )
        tasks.append(task.remote(tuple(one), share, folder))
    for promise in tasks:
        try:
            ray.get(promise)
        except ray.exceptions.RayTaskError as error:
            if CRASHED not in str(error):
                raise  # of Ray or of this bench, not of a training
        except ray.exceptions.RayError as error:
            print(str(error).strip().splitlines()[-1], file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
