"""What measuring a training costs: time per step, memory, the size of a week's record.

    make bench
    .venv/bin/python bench/sampling_cost.py --blocks 60

Steps of about 5 ms of one `fit`; the sampler, which takes ten samples a second, is switched on and
off every second, so that a busy moment hits both.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from guard import trainings
from memory_use import memory_bytes, verdict

from fitguard.keras.sampling.sampler import COLUMNS, TrainingSampler
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.sampling.gpus import GPU_METRICS
from fitguard.monitor.sampling.host import HOST_COLUMNS
from fitguard.monitor.sampling.sampler import Sampler

MOST_SHARE, MOST_BYTES, MOST_WEEK_BYTES = 0.01, 20e6, 50e6
WEEK_SECONDS, WIDEST_SECONDS = 7 * 86400, 120
_MB = 1e6


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=40, help="of a second each")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        met = [measure_memory(Path(name)), *map(measure_week, (1, 8))]
        met.append(measure_steps(Path(name), given.blocks))
    sys.exit(not all(met))


def measure_steps(folder: Path, blocks: int) -> bool:
    """Time per step, with and without the sampler.

    By the wall a busy machine shows anything; what both threads take of the processor is what the
    training can lose. An error as large as the target: the machine is too busy to tell.
    """
    command = trainings.plain("sampled_steps.py", folder, blocks)
    found = json.loads(trainings.read_output(command, folder))
    pairs = list(zip(found["on"], found["off"], strict=False))
    step = statistics.median(wall for _, (wall, _) in pairs)
    ratios = [on / off for (on, _), (off, _) in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"{found['steps']} steps of {step * 1e3:.1f} ms in each of {2 * len(pairs)} blocks: by the "
        f"wall, with the sampler / without {middle:.3f} (quartiles {low:.3f} to {high:.3f})"
    )
    differences = [on - off for (_, on), (_, off) in pairs]
    in_step = statistics.median(differences)
    error = statistics.stdev(differences) / len(differences) ** 0.5
    beside = found["sampler_seconds"] / (len(found["on"]) * found["steps"])
    share = (max(0.0, in_step) + beside) / step
    met = share <= MOST_SHARE
    print(
        f"processor time of ten samples a second: {in_step * 1e6:.0f} ± {error * 1e6:.0f} µs in a "
        f"step, {beside * 1e6:.0f} µs beside it, {share:.2%} of a step, target {MOST_SHARE:.0%}: "
        f"{verdict(met)}",
        flush=True,
    )
    return met


def measure_memory(folder: Path) -> bool:
    """Both samplers in a process that has loaded all they need, for ten seconds."""
    before = memory_bytes("VmRSS")
    inside = TrainingSampler(folder / "child.record", 1, None)
    outside = Sampler(os.getpid(), folder / "parent.record", disk=folder)
    cpu = time.process_time()
    outside.start()
    with inside.sampling():
        time.sleep(10)
    outside.stop()
    busy = (time.process_time() - cpu) / 10
    more = memory_bytes("VmRSS") - before
    print(
        f"memory of both samplers: {more / _MB:.1f} MB, target {MOST_BYTES / _MB:.0f} MB: "
        f"{verdict(more <= MOST_BYTES)}; {outside.taken} samples, {busy:.1%} of one core"
    )
    return more <= MOST_BYTES


def measure_week(gpus: int) -> bool:
    """Samples so rare that each fills a slot of every ring leave the file that a week leaves."""
    total = 0
    by_gpu = [f"{name}:{index}" for name in GPU_METRICS for index in range(gpus)]
    parent = ("attempt", "allocation_failures", *HOST_COLUMNS, *by_gpu)
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in (("child", COLUMNS), ("parent", parent)):
            path = Path(folder, f"{name}.record")
            recorder = FlightRecorder(path, columns)
            for slot in range(WEEK_SECONDS // WIDEST_SECONDS):
                recorder.add(1e9 + slot * WIDEST_SECONDS, slot, dict.fromkeys(columns, 1.0))
            recorder.close()
            total += path.stat().st_size
    met = total <= MOST_WEEK_BYTES
    print(
        f"the record of a week with {gpus} GPUs: {total / _MB:.1f} MB, target "
        f"{MOST_WEEK_BYTES / _MB:.0f} MB: {verdict(met)}",
        flush=True,
    )
    return met


if __name__ == "__main__":
    main()
