"""Proves fitguard with each pair of versions that it supports, and writes docs/versions.md.

    python scripts/matrix [--only "tf2.15 py3.13"] [--jobs 2]

An environment is built once, at $FITGUARD_MATRIX or ~/.cache/fitguard/matrix, and kept.
"""

import argparse
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from building import NotInstalled, build
from interpreters import find_python
from page import Row, has_row, write_row
from pairs import Pair, read_pairs
from suite import run_suite

_writing = threading.Lock()


def main() -> int:
    """0 where all that was run is green."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", default="", help="parts of names, such as tf2.15 or py3.13")
    options.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    given = options.parse_args()
    with ThreadPoolExecutor(given.jobs) as pool:
        done = list(pool.map(prove, read_pairs(given.only)))
    return 0 if all(done) else 1


def prove(pair: Pair) -> bool:
    """Build the environment of a pair, and run the suite with each Keras of it."""
    python = find_python(pair.python)
    if python is None:
        return _tell_missing(pair)
    try:
        build(pair, python)
    except NotInstalled as error:
        verdicts = [_finish(Row(pair, package, str(error))) for package in pair.packages]
    else:
        verdicts = [_prove_package(pair, package) for package in pair.packages]
    return all(verdicts)


def _prove_package(pair: Pair, package: str) -> bool:
    began = time.monotonic()
    row = Row(pair, package, failures=run_suite(pair, package))
    return _finish(row, time.monotonic() - began)


def _tell_missing(pair: Pair) -> bool:
    """A row that another machine has proven stays."""
    reason = f"Python {pair.python} was not found, on PATH or in pyenv"
    print(f"{pair.name}: {reason}", file=sys.stderr, flush=True)
    for package in pair.packages:
        if not has_row(pair, package):
            _finish(Row(pair, package, reason))
    return False


def _finish(row: Row, seconds: float = 0.0) -> bool:
    with _writing:
        write_row(row, read_pairs())
    verdict = "green" if row.is_green else "red"
    lines = [f"{row.pair.name} with {row.package}: {verdict}, {seconds:.0f} s"]
    for part, reason in {"installs": row.not_installed, **(row.failures or {})}.items():
        if reason:
            lines.append(f"  {part}: {reason}")
    print("\n".join(lines), flush=True)
    return row.is_green


if __name__ == "__main__":
    sys.exit(main())
