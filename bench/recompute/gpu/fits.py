"""Whole trainings of six networks in a half and a third of the GPU memory that they need.

    python bench/recompute/gpu/fits.py --seconds 400

Each trains without a limit twice, then under each limit plainly and with `fitguard run`, many at a
time; a JSON line for each pair goes into `$OUT/fits.jsonl`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from recompute.distances import off

SCRIPT = Path(__file__).parents[1] / "train.py"
ROWS = {
    "resnet50": 64,
    "mobilenetv2": 64,
    "efficientnetb0": 64,
    "unet": 64,
    "densenet121": 32,
    "transformer": 32,
}
LOCK = threading.Lock()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(ROWS))
    parser.add_argument("--shares", default="0.5,0.34")
    parser.add_argument("--side", default="224")
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--allow", help="for the guarded ones, instead of --exact-only")
    parser.add_argument("--compiled", default="", help="whose plain training XLA compiles, too")
    parser.add_argument("--at-once", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=400)
    given = parser.parse_args()
    end = time.monotonic() + given.seconds
    work = Path(tempfile.mkdtemp())
    names = given.models.split(",")
    with ThreadPoolExecutor(given.at_once) as pool:
        plain = {
            (name, again): pool.submit(train, work, name, f"plain{again}", given, end)
            for name in names
            for again in (1, 2)
        }
        compiled = {
            name: pool.submit(train, work, name, "compiled", given, end, jit=True)
            for name in filter(None, given.compiled.split(","))
        }
        under = []
        for name in names:
            first = plain[name, 1].result()
            if first["weights"] is None:
                say({"model": name, "plain": first["text"][-400:]})
                continue
            for share in map(float, given.shares.split(",")):
                limit = int(share * first["peak_bytes"] / 2**20)
                one = [
                    pool.submit(train, work, name, f"{kind}{share}", given, end, limit, kind)
                    for kind in ("died", "guarded")
                ]
                under.append((name, share, limit, one))
        for name, share, limit, (died, guarded) in under:
            first, second = plain[name, 1].result(), plain[name, 2].result()
            say(compare(name, share, limit, first, second, died.result(), guarded.result()))
        for name, one in compiled.items():
            done, first = one.result(), plain[name, 1].result()
            row = {"model": name, "compiled": done["code"], "whole": done["whole_seconds"]}
            if done["weights"] is not None:
                row["off"] = off(done["weights"], first["weights"]) / moved_by(first)
                row |= {"peak_bytes": done["peak_bytes"], "seconds": done["seconds"]}
            say(row)


def compare(name, share, limit, first, second, died, guarded):
    row = {"model": name, "share": share, "limit_mib": limit, "plain": died["code"]}
    row |= {"guarded": guarded["code"], "whole_seconds": guarded["whole_seconds"]}
    row["plain_seconds"] = first["seconds"]
    row["said"] = [line for line in guarded["text"].splitlines() if line.startswith("fitguard")]
    if guarded["weights"] is not None:
        row["off"] = off(guarded["weights"], first["weights"]) / moved_by(first)
        row["seconds"] = guarded["seconds"] / first["seconds"]
    else:
        row["end"] = guarded["text"][-600:]
    if second["weights"] is not None:
        row["plain_again"] = off(second["weights"], first["weights"]) / moved_by(first)
    return row


def moved_by(done):
    return off(done["weights"], done["begin"])


def train(work, name, label, given, end, limit=None, kind="plain", *, jit=False):
    """One training in a process of its own."""
    folder = work / f"{name}-{label}"
    folder.mkdir()
    out, begin = folder / "weights.npz", folder / "begin.npz"
    command = [sys.executable]
    if kind == "guarded":
        command += ["-m", "fitguard", "run", "--runs", str(folder / "runs")]
        command += ["--allow", given.allow] if given.allow else ["--exact-only"]
    command += [str(SCRIPT), name, str(out), "--side", given.side, "--rows", str(ROWS[name])]
    command += ["--begin", str(begin)]
    command += ["--limit-mib", str(limit)] if limit else []
    command += ["--jit"] if given.jit or jit else []
    began = time.monotonic()
    done = subprocess.run(
        ["timeout", str(max(int(end - began), 1)), *command],
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    found = {"code": done.returncode, "text": done.stdout, "weights": None}
    found["whole_seconds"] = time.monotonic() - began
    if done.returncode == 0 and out.exists():
        found["weights"], found["begin"] = load(out), load(begin)
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"peak')]
        found |= json.loads(lines[-1])
    return found


def load(file):
    with np.load(file) as kept:
        return [kept[one] for one in kept.files]


def say(row):
    with LOCK, (Path(os.environ.get("OUT", ".")) / "fits.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
