"""Starts the scripts of this folder, plainly and under `fitguard run`; reads what they saved."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SCRIPTS = Path(__file__).parent


def plain(script: str, *arguments: object) -> list[str]:
    """The command line without fitguard."""
    return [sys.executable, str(SCRIPTS / script), *map(str, arguments)]


def guarded(
    folder: Path, script: str, *arguments: object, options: Sequence[str] = ()
) -> list[str]:
    """The command line with it."""
    own = [sys.executable, "-m", "fitguard", "run", "--quiet", "--runs", str(folder / "runs")]
    return [*own, *options, str(SCRIPTS / script), *map(str, arguments)]


def started(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Begin a training that sees no GPU and remembers nothing from elsewhere."""
    more = {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment = {**os.environ, **more, "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder, env=environment)


def read_output(command: list[str], folder: Path) -> str:
    """The last line that a script wrote which must end well."""
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=folder, check=True, text=True)
    return done.stdout.splitlines()[-1]


def seconds(command: list[str], folder: Path) -> float:
    """Wall time of a training that must end well."""
    began = time.perf_counter()
    code = started(command, folder).wait()
    if code:
        raise SystemExit(f"{' '.join(command)} failed with {code}")
    return time.perf_counter() - began


def weights(out: Path) -> np.ndarray:
    """All of them in one row."""
    with np.load(out) as saved:
        arrays = [saved[name].ravel() for name in saved.files if name.startswith("arr_")]
    return np.concatenate(arrays)


def distance(one: Path, other: Path) -> float:
    """The norm of the difference, as a part of the norm of the first."""
    first, second = (weights(out).astype("float64") for out in (one, other))
    return float(np.linalg.norm(first - second) / np.linalg.norm(first))
