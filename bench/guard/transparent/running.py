"""Runs a script plainly and under `fitguard run`; compares what training left, bit for bit."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PRELOAD = Path(__file__).parent / "preload"
SEED = "20240611"
LIMIT_SECONDS = 420
_COMPARED = (".csv", ".txt", ".npy")
_UNGUARDED = ("not guarded", "nothing was guarded")


@dataclass(frozen=True)
class Script:
    """What is run.

    Args:
        source: The program.
        rows: Of the data that a public example gets; 0 for a script that has its own.
        tensorflow_seed: Whether TensorFlow gets a seed; without one, few scripts repeat themselves.
    """

    name: str
    source: str
    rows: int = 0
    tensorflow_seed: bool = True


@dataclass
class Left:
    """What a run came to."""

    code: int
    output: str
    report: dict[str, Any] | None
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """Of a comparison: `same`, `differs`, `not guarded`, `fails plainly` or `never the same`."""

    name: str
    verdict: str
    why: str = ""
    fits: int = 0


def compare(script: Script, snapshot_seconds: float, keep: Path | None = None) -> Outcome:
    """Run it both ways; where the results differ, plainly once more."""
    with tempfile.TemporaryDirectory() as name:
        folder = keep or Path(name)
        plain = run(script, folder / f"{script.name}.plain", [])
        if plain.code or plain.report is None:
            return Outcome(script.name, "fails plainly", last_line(plain.output))
        own = ["-m", "fitguard", "run", "--snapshot-seconds", str(snapshot_seconds)]
        guarded = run(script, folder / f"{script.name}.guarded", own)
        fits = len(plain.report["fits"])
        where = first_difference(plain, guarded)
        if where:
            again = run(script, folder / f"{script.name}.again", [])
            if first_difference(plain, again):
                return Outcome(script.name, "never the same", where, fits)
            return Outcome(script.name, "differs", where, fits)
        why = unguarded(guarded.output)
        return Outcome(script.name, "not guarded" if why else "same", why, fits)


def run(script: Script, folder: Path, own: list[str], **more: str) -> Left:
    """Run it once, in a folder of its own, with more variables in its environment."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file, report = folder / "script.py", folder / "report.json"
    file.write_text(script.source)
    command = [sys.executable, *own, str(file)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment(script, folder, file, report), **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        output, _ = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, _ = process.communicate()
        output += f"\ntook longer than {LIMIT_SECONDS} s".encode()
    text = output.decode(errors="replace")
    (folder / "output.log").write_text(text)
    found = json.loads(report.read_text()) if report.exists() else None
    return Left(process.returncode, text, found, dict(files(folder)))


def environment(script: Script, folder: Path, file: Path, report: Path) -> dict[str, str]:
    """The same for both ways."""
    path = [str(PRELOAD), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONHASHSEED": "0",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "KERAS_HOME": str(folder / "keras"),
        "TRANSPARENT_SCRIPT": str(file),
        "TRANSPARENT_REPORT": str(report),
        "TRANSPARENT_SEED": SEED,
        "TRANSPARENT_TENSORFLOW_SEED": "1" if script.tensorflow_seed else "",
        "TRANSPARENT_ROWS": str(script.rows or ""),
    }


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """What the script wrote itself, of kinds that hold no time and no date."""
    for path in sorted(folder.glob("*")):
        if path.suffix in _COMPARED:
            yield path.name, path.read_bytes()


def first_difference(one: Left, other: Left) -> str:
    """Where they differ first; empty where they do not."""
    if one.code != other.code or other.report is None or one.report is None:
        return f"exit code {other.code}: {last_line(other.output)}"
    for place, values in flattened(one.report):
        if dict(flattened(other.report)).get(place) != values:
            return place
    if list(flattened(one.report)) != list(flattened(other.report)):
        return "more is left, or in another order"
    return "" if one.files == other.files else "files that the script wrote"


def flattened(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each checksum, by the place of what it is of; the training before the generators."""
    for number, fit in enumerate(report["fits"], start=1):
        for kind in ("history", "weights", "other variables", "optimizer", "metrics"):
            for index, (name, value) in enumerate(fit.get(kind, ())):
                yield f"fit {number}, {kind}: {name} ({index})", value
    for index, model in enumerate(report["models"]):
        yield f"model {index} that is not fitted", model
    for kind in ("generators", "draws"):
        for name, value in report[kind]:
            yield f"the next draw of {name}", value


def unguarded(output: str) -> str:
    """What fitguard says of a script that it does not guard."""
    lines = output.splitlines()
    return next((line for line in lines if any(words in line for words in _UNGUARDED)), "")


def last_line(output: str) -> str:
    """The error, most often."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:150] if lines else ""
