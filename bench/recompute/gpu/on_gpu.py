"""Starts `steps.py` for many networks on a real GPU; rows go into `$OUT/steps.jsonl`.

    python bench/recompute/gpu/on_gpu.py --seconds 480 --jobs steps,parts

All steps are traced, compiled and measured for memory at the same time. Then times are taken, one
process after the other, with nothing else on the card.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = Path(__file__).with_name("steps.py")
ROW_MIB = {
    "resnet50": 116,
    "mobilenetv2": 86,
    "efficientnetb0": 119,
    "unet": 108,
    "densenet121": 173,
    "transformer": 267,
}
"""What each image of 224 × 224 needs in graph mode, by the plan: all processes share one card."""


def take(name, rows, ways, *options):
    """The words for `steps.py`; it may take a third more than the plain step needs."""
    limit = str(int(1.3 * rows * ROW_MIB[name]) + 1024)
    return [name, "--rows", str(rows), "--ways", ways, "--limit-mib", limit, *options]


SHARES = "plain,0.5,0.34"
JOBS = {
    "graph": [
        take(name, 32 if mib > 150 else 64, f"plain,{SHARES}") for name, mib in ROW_MIB.items()
    ],
    "xla": [
        take(name, 32, ways, "--jit")
        for name in ("resnet50", "mobilenetv2", "unet", "transformer")
        for ways in ("plain,0.5", "0.34")
    ],
    "xla-more": [
        take(name, 32, "plain,0.34", "--jit") for name in ("efficientnetb0", "densenet121")
    ],
    "parts": [
        take("resnet50", 128, f"{SHARES},parts:16,parts:24,parts:32,parts:43,parts:64"),
        take("transformer", 64, f"{SHARES},parts:4,parts:8,parts:16,parts:32,parts:32:0.5"),
    ],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default="graph,xla,parts")
    parser.add_argument("--seconds", type=float, default=480, help="all must be over then")
    parser.add_argument("--timing", type=float, default=60, help="of these, for taking times")
    given = parser.parse_args()
    began = time.monotonic()
    out = Path(os.environ.get("OUT", "."))
    work = Path(tempfile.mkdtemp())
    jobs = [job for name in given.jobs.split(",") for job in JOBS[name]]
    running = []
    for number, job in enumerate(jobs):
        files = [(work / f"{number}.{kind}").open("w") for kind in ("out", "err")]
        command = [sys.executable, str(STEPS), *job, "--go", str(work / "go")]
        command += ["--lock", str(work / "lock")]
        running.append((subprocess.Popen(command, stdout=files[0], stderr=files[1]), number))
    ready = lambda number: "ready" in (work / f"{number}.out").read_text()  # noqa: E731
    while time.monotonic() - began < given.seconds - given.timing:
        if all(ready(number) or process.poll() is not None for process, number in running):
            break
        time.sleep(1)
    for process, number in running:
        if not ready(number):
            process.kill()
    print(f"measured after {time.monotonic() - began:.0f} s", flush=True)
    (work / "go").touch()
    while time.monotonic() - began < given.seconds and any(
        process.poll() is None for process, _ in running
    ):
        time.sleep(1)
    for process, _ in running:
        process.kill()
    rows, errors = [], []
    for process, number in running:
        text = (work / f"{number}.out").read_text()
        rows += [line for line in text.splitlines() if line.startswith("{")]
        last = (work / f"{number}.err").read_text().splitlines()[-3:]
        errors.append(f"{process.returncode} {' '.join(jobs[number])}: {last}")
    (out / "steps.jsonl").write_text("\n".join(rows) + "\n")
    (out / "errors.txt").write_text("\n".join(errors) + "\n")
    print("\n".join(rows))
    print(f"done after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
