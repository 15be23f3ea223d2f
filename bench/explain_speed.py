"""How long `fitguard explain` takes for a log of 1 GiB, as a share of what grep takes.

    make bench

grep only counts the lines in which one of the same literal texts stands. Both start anew in each
round, read from a warm file cache, and take turns, so that a busy moment hits both; the median
counts.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fitguard.knowledge import knowledge

ROUNDS = 3
SIZE_BYTES = 1 << 30
MOST_MEMORY_BYTES = 200 * 1000 * 1000
FITGUARD = str(Path(sys.executable).parent / "fitguard")
FAILURE = (
    "Traceback (most recent call last):\n"
    '  File "train.py", line 88, in <module>\n'
    "    model.fit(images, labels, batch_size=512)\n"
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor "
    "with shape[512,256,56,56] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by "
    "allocator GPU_0_bfc [Op:Conv2D]\n"
)


class Run(NamedTuple):
    """One run of a command."""

    seconds: float
    peak_bytes: int
    output: str


def epochs(rng: random.Random) -> Iterator[str]:
    """What a training writes: bars that overwrite themselves, a line for each step, some noise."""
    for epoch in range(1, 101):
        yield f"Epoch {epoch}/100\n"
        for step in range(0, 313, 2):
            bar = "━" * (20 * step // 313)
            yield (
                f"\r\x1b[1m{step:3}/313\x1b[0m \x1b[32m{bar}\x1b[0m\x1b[37m{'━' * (20 - len(bar))}"
                f"\x1b[0m \x1b[1m{(313 - step) // 20}s\x1b[0m {rng.randint(20, 60)}ms/step - "
                f"accuracy: {rng.random():.4f} - loss: {3 * rng.random():.4f}"
            )
        yield "\n"
        for step in range(epoch * 100, epoch * 100 + 100):
            yield (
                f"2024-05-10 11:33:{rng.randint(0, 59):02}.{rng.randint(0, 999999):06} INFO "
                f"trainer.py:212 step={step} lr={rng.random() / 1000:.6f} loss={rng.random():.5f} "
                f"images/sec={3000 * rng.random():.1f} grad_norm={rng.random():.3f}\n"
                f"INFO:tensorflow:global_step/sec: {30 * rng.random():.3f}\n"
            )
        yield (
            "WARNING:tensorflow:Your input ran out of data; interrupting training.\n"
            "W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting "
            "with status: OUT_OF_RANGE: End of sequence\n"
        )


def write_log(path: Path) -> int:
    """Ordinary output with one failure in the middle; the number of the line that tells of it."""
    # A small part: the peak memory of a process counts for those it starts, too.
    part = "".join(epochs(random.Random(1))).encode()
    times = SIZE_BYTES // len(part) + 1
    with path.open("wb") as file:
        for number in range(times):
            file.write(part)
            if number == times // 2:
                file.write(FAILURE.encode())
    return (times // 2 + 1) * part.count(b"\n") + FAILURE.count("\n")


def run(command: list[str]) -> Run:
    """Run it to its end, in the locale that grep is fastest in."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}
    ) as process:
        assert process.stdout
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(time.perf_counter() - started, usage.ru_maxrss * 1024, output)


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        log, anchors = Path(folder, "train.log"), Path(folder, "anchors")
        line = write_log(log)
        literals = list(knowledge().signatures.by_anchor)
        anchors.write_text("\n".join(literals) + "\n")
        size = log.stat().st_size
        print(f"a log of {size / 2**30:.2f} GiB, {len(literals)} literal texts, {ROUNDS} rounds")
        explain = [FITGUARD, "explain", str(log), "--format", "json"]
        grep = ["grep", "-c", "-F", "-f", str(anchors), str(log)]
        run(["wc", "-l", str(log)])  # the file cache is warm for both
        rounds = [(run(explain), run(grep)) for _ in range(ROUNDS)]
    check_answer(rounds[0][0].output, line)
    seconds, reference = (statistics.median(item[i].seconds for item in rounds) for i in (0, 1))
    peak = max(item[0].peak_bytes for item in rounds)
    print(f"fitguard explain  {seconds:6.2f} s  {size / seconds / 1e9:.2f} GB/s")
    print(f"grep -c -F -f     {reference:6.2f} s  {size / reference / 1e9:.2f} GB/s")
    print(f"fitguard takes {seconds / reference:.2f} of grep's time (target: under 1)")
    print(f"its peak memory is {peak / 1e6:.0f} MB (target: under {MOST_MEMORY_BYTES / 1e6:.0f})")
    sys.exit(seconds >= reference or peak >= MOST_MEMORY_BYTES)


def check_answer(output: str, line: int) -> None:
    """It is no use being quick and wrong."""
    first = json.loads(output)["causes"][0]
    lines = {item["line"] for item in first["evidence"]}
    if first["cause"] != "gpu-oom" or line not in lines:
        raise SystemExit(f"Received {first['cause']}, lines {lines}. Expected gpu-oom, line {line}")


if __name__ == "__main__":
    main()
