"""How long a soak takes to find one wrong bit in so many elements.

    python bench/soak_detection.py                              # measures this machine
    python bench/soak_detection.py --of fitguard-runs/NAME      # a soak that ran elsewhere
    python bench/soak_detection.py --rate 5e9                   # elements a second

First the rate: elements whose bits are checked in a second, all computations together. Then real
runs of the command with faults: bits are flipped at random, so often that one comes within seconds,
and each has to be found at the place where it was flipped. At last the same for faults as rare as
they are in life, drawn at the pace of the soak.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.soak_progress import SoakProgress, read_progress
from fitguard.words import duration

RARE = 1e-12
"""Wrong bits for each element that is computed."""
DRAWN = 10_000
UNTIL_FAULT_SECONDS = 3.0
_TRUTH = re.compile(r"test: bit (\d) of byte (\d+) of (\S+) is flipped in computation (\d+)")


def main() -> None:
    """Rate, real faults, rare faults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1.0, help="to measure the rate")
    parser.add_argument("--runs", type=int, default=10, help="with real faults")
    parser.add_argument("--of", type=Path, help="folder of a soak to take the rate from")
    parser.add_argument("--rate", type=float, help="elements a second")
    options = parser.parse_args()
    if options.rate is not None:
        print_rare([(1.0, options.rate, options.rate)])
        return
    with tempfile.TemporaryDirectory() as place:
        folder = options.of
        if folder is None:
            soak(Path(place), "rate", "--minutes", str(options.minutes))
            folder = Path(place) / "fitguard-runs" / "rate"
        progress = read_progress(RunFolder(folder))
        rate = print_rates(progress)
        if options.of is None:
            print_found(Path(place), options.runs, 1 / (rate * UNTIL_FAULT_SECONDS))
    print_rare(list_paces(progress))


def soak(place: Path, name: str, *words: str, fault: str = "") -> int:
    """Run the command; its exit code."""
    command = [sys.executable, "-m", "fitguard", "probe", "--level", "long", "--name", name, *words]
    environment = {**os.environ, "FITGUARD_PROBE_FAULT": fault}
    quiet = subprocess.DEVNULL
    return subprocess.run(
        command, cwd=place, env=environment, stdout=quiet, stderr=quiet, check=False
    ).returncode


def print_rates(progress: SoakProgress) -> float:
    """What each computation checks in a second, and all of them; the latter is returned."""
    done = [one for one in progress.computations if one.seconds]
    for one in done:
        print(f"{one.name:16} {one.elements / one.seconds:8.2e} elements/s  {one.size}")
    rate = sum(one.elements for one in done) / sum(one.seconds for one in done)
    print(f"{'all together':16} {rate:8.2e} elements/s")
    return rate


def list_paces(progress: SoakProgress) -> list[tuple[float, float, float]]:
    """Of each computation: how often it comes, its elements, and elements a second."""
    return [
        (one.computations, one.elements / one.computations, one.elements / one.seconds)
        for one in progress.computations
        if one.seconds
    ]


def print_found(place: Path, runs: int, probability: float) -> None:
    """Real runs with real faults."""
    found = rightly = 0
    for number in range(runs):
        code = soak(place, f"fault-{number}", "--minutes", "5", fault=f"soak:flip={probability}")
        folder = RunFolder(place / "fitguard-runs" / f"fault-{number}")
        kept = json.loads(folder.soak.read_text())
        truth = _TRUTH.search(folder.output.read_text())
        found += code == 4
        if truth and kept["findings"]:
            wrong = kept["findings"][0]
            element = wrong["elements"][0]
            told = (element["bit"] % 8, element["byte"], wrong["computation"], wrong["number"])
            rightly += told == (int(truth[1]), int(truth[2]), truth[3], int(truth[4]))
    print(
        f"one flip in {1 / probability:.1e} elements, {runs} real runs: found in {found}, with "
        f"computation, element and bit in {rightly}"
    )


def print_rare(paces: list[tuple[float, float, float]]) -> None:
    """Faults that come by chance at one element in 10¹²."""
    weights = [often for often, _, _ in paces]
    seconds = sum(o * n / r for o, n, r in paces) / sum(weights)
    elements = sum(o * n for o, n, _ in paces) / sum(weights)
    draw = random.Random(17)
    # Until the first element that is hit; it is found when its computation is checked.
    waited = sorted((int(draw.expovariate(RARE) / elements) + 1) * seconds for _ in range(DRAWN))
    mean, late = sum(waited) / DRAWN, waited[int(0.95 * DRAWN)]
    print(
        f"one flip in {1 / RARE:.0e} elements, {DRAWN:,} drawn: found after {duration(mean)} on "
        f"average, in 95 % of all cases within {duration(late)}"
    )
    whole = seconds / (RARE * elements)
    print(f"by the formula: {duration(whole)} on average, {duration(2.9957 * whole)} in 95 %")


if __name__ == "__main__":
    main()
