"""Kills each training of the corpus at random moments, and prints what came of it.

    python scripts/corpus.py [--pair tf2.13] [--kills 1 2 3] [--jobs 2] [--only "callback_ ema"]

`--pair` takes an environment of `make matrix`; without it, the one of this interpreter is used.
"""

import argparse
import contextlib
import queue
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
# This file must not be found where the folder of the tests is meant.
sys.path[:1] = [str(TREE / "tests"), str(TREE / "scripts/matrix")]

from corpus.cases import Case, read_cases  # noqa: E402
from corpus.environments import can_run  # noqa: E402
from corpus.forking import ForkServer  # noqa: E402
from corpus.judging import Outcome  # noqa: E402
from corpus.running import try_case  # noqa: E402
from pairs import read_pairs  # noqa: E402


def main() -> int:
    """0 where nothing is silent, late, broken or a false alarm."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pair", default="", help="a part of a name, such as tf2.13")
    options.add_argument("--kills", type=int, nargs="*", default=[1, 2, 3], help="of each run")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", default="", help="parts of names of trainings")
    options.add_argument("--seed", default="1")
    options.add_argument("--keep", type=Path, help="folder for all that the runs left")
    given = options.parse_args()
    python = str(read_pairs(given.pair)[0].interpreter) if given.pair else sys.executable
    cases = [case for case in read_cases(given.only) if can_run(case, python)]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = try_cases(cases, python, given.keep or Path(folder), given)
    print_counts(outcomes)
    return 0 if all(outcome.is_good for outcome in outcomes) else 1


def try_cases(
    cases: list[Case], python: str, folder: Path, given: argparse.Namespace
) -> list[Outcome]:
    """All, several at a time; a line for each as soon as it is known."""
    free: queue.Queue[ForkServer] = queue.Queue()

    def try_one(case: Case) -> Outcome:
        server = free.get()
        try:
            return try_case(case, server, folder / case.name, given.kills, given.seed)
        finally:
            free.put(server)

    outcomes = []
    with contextlib.ExitStack() as servers, ThreadPoolExecutor(given.jobs) as pool:
        for _ in range(given.jobs):
            free.put(servers.enter_context(ForkServer(python)))
        for outcome in pool.map(try_one, cases):
            print(f"{outcome.name:42}{outcome.verdict:13}{outcome.why}"[:400], flush=True)
            outcomes.append(outcome)
    return outcomes


def print_counts(outcomes: list[Outcome]) -> None:
    """The sum."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    kills = sum(outcome.kills for outcome in outcomes)
    print(f"\n{len(outcomes)} trainings, {kills} kills: ", end="")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))


if __name__ == "__main__":
    sys.exit(main())
