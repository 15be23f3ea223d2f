"""How long `fitguard explain` takes for a log of 1 GiB, as a share of what grep takes.

    make bench

grep only counts the lines in which one of 40 words stands, a sample of the texts that fitguard
looks for. Both start anew in each round, read from a warm file cache, and take turns; the best
round of each counts. Both use one core: their processor seconds are compared, which others on the
machine change less than the seconds that pass.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from fitguard.knowledge import knowledge

ROUNDS = 5
WORDS = 40
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
    """One run of a command.

    Args:
        seconds: Of the processor.
        passed_seconds: On the clock.
    """

    seconds: float
    passed_seconds: float
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


def crowded(rng: random.Random) -> Iterator[str]:
    """A line for each step; 1 in 100 is one that fitguard knows, of all that it knows."""
    known = [
        example
        for signature in knowledge().signatures.all
        if signature.anchors
        for example in signature.examples
    ]
    for step in range(20_000):
        if step % 100 == 50:
            yield f"{rng.choice(known)}\n"
        yield (
            f"2024-05-10 11:33:{rng.randint(0, 59):02}.{rng.randint(0, 999999):06} INFO "
            f"trainer.py:212 step={step} lr={rng.random() / 1000:.6f} loss={rng.random():.5f} "
            f"images/sec={3000 * rng.random():.1f} grad_norm={rng.random():.3f}\n"
        )


class Kind(NamedTuple):
    """Of logs.

    Args:
        lines: A part of it, from which the whole is made.
        most: The share of grep's time that is the target.
    """

    name: str
    lines: Callable[[random.Random], Iterator[str]]
    most: float


KINDS = (
    Kind("ordinary output, one failure", epochs, 1.0),
    Kind("1 line in 100 is a known one, of all kinds", crowded, 1.5),
)


def write_log(path: Path, lines: Callable[[random.Random], Iterator[str]]) -> int:
    """Such output with one failure in the middle; the number of the line that tells of it."""
    # A small part: the peak memory of a process counts for those it starts, too.
    part = "".join(lines(random.Random(1))).encode()
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
    if process.returncode not in (0, 1):  # 1 of grep: there is no such line
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    passed = time.perf_counter() - started
    return Run(usage.ru_utime + usage.ru_stime, passed, usage.ru_maxrss * 1024, output)


def measure(kind: Kind, log: Path, words: Path) -> bool:
    """Print how long both take; whether the targets are met."""
    line = write_log(log, kind.lines)
    size = log.stat().st_size
    explain = [FITGUARD, "explain", str(log), "--format", "json"]
    grep = ["grep", "-c", "-F", "-f", str(words), str(log)]
    run(["wc", "-l", str(log)])  # the file cache is warm for both
    rounds = [(run(explain), run(grep)) for _ in range(ROUNDS)]
    check_answer(rounds[0][0].output, line, kind.lines is epochs)
    explained, searched = zip(*rounds, strict=True)
    peak = max(item.peak_bytes for item in explained)
    ratio = min(explained).seconds / min(searched).seconds
    print(f"{kind.name}: {size / 2**30:.2f} GiB")
    for name, runs in (("fitguard explain", explained), ("grep -c -F -f", searched)):
        seconds, passed = min(runs).seconds, min(item.passed_seconds for item in runs)
        speed = size / seconds / 1e9
        print(f"  {name:16} {seconds:5.2f} s of a core, {speed:.2f} GB/s; {passed:.2f} s passed")
    print(f"  fitguard takes {ratio:.2f} of grep's time (target: at most {kind.most:.2f})")
    print(f"  its peak memory is {peak / 1e6:.0f} MB (target: {MOST_MEMORY_BYTES / 1e6:.0f})")
    return ratio <= kind.most and peak < MOST_MEMORY_BYTES


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder, "words")
        texts = list(knowledge().signatures.by_anchor)
        chosen = texts[:: len(texts) // WORDS][:WORDS]
        words.write_text("\n".join(chosen) + "\n")
        print(f"{len(texts)} texts for fitguard, {len(chosen)} words for grep, {ROUNDS} rounds")
        met = [measure(kind, Path(folder, "train.log"), words) for kind in KINDS]
    sys.exit(not all(met))


def check_answer(output: str, line: int, is_alone: bool) -> None:
    """It is no use being quick and wrong; among all other failures, this one is not the first."""
    diagnosis = json.loads(output)
    first = diagnosis["causes"][0]
    lines = {item["line"] for item in first["evidence"]}
    if is_alone and (first["cause"] != "gpu-oom" or line not in lines):
        raise SystemExit(f"Received {first['cause']}, lines {lines}. Expected gpu-oom, line {line}")


if __name__ == "__main__":
    main()
