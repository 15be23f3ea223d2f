"""With no fault, a guarded run gives what plain Python gives, bit for bit: scripts of all kinds.

    .venv/bin/python bench/guard_transparent.py --checkout ../keras-io
    .venv/bin/python bench/guard_transparent.py --only gan vae

Runs each script of `guard/transparent/scripts`, and public examples of a checkout of keras-io, both
plainly and under `fitguard run`, and compares checksums of all weights, variables of optimizers and
metrics, histories, written files and generators of random numbers. The public examples get small
random data and few steps, in both ways alike.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from guard.transparent.examples import EXAMPLES, FEWEST_ROWS, ROWS, shortened
from guard.transparent.running import Outcome, Script, compare

SCRIPTS = Path(__file__).parent / "guard" / "transparent" / "scripts"
SEEDLESS = "seedless_"
"""How the names of scripts begin that repeat themselves without a seed of TensorFlow."""


def main() -> None:
    """Compare; exit with 1 where a script differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkout", type=Path, help="folder with a checkout of keras-io")
    parser.add_argument("--only", nargs="+", default=[], help="parts of the names of scripts")
    parser.add_argument("--jobs", type=int, default=1, help="scripts at a time")
    parser.add_argument("--keep", type=Path, help="folder for outputs and reports")
    parser.add_argument("--snapshot-seconds", type=float, default=0.05)
    options = parser.parse_args()
    scripts = [*own_scripts()]
    if options.checkout:
        scripts += public_examples(options.checkout)
    chosen = [one for one in scripts if is_chosen(one.name, options.only)]
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(
            lambda one: compare(one, options.snapshot_seconds, options.keep), chosen
        ):
            print_row(outcome)
            outcomes.append(outcome)
    counts = Counter(one.verdict for one in outcomes)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(counts["differs"] > 0)


def own_scripts() -> Iterator[Script]:
    """Those of this folder."""
    for file in sorted(SCRIPTS.glob("*.py")):
        seeded = not file.name.startswith(SEEDLESS)
        yield Script(file.stem, file.read_text(), tensorflow_seed=seeded)


def public_examples(checkout: Path) -> Iterator[Script]:
    """Those of the checkout that are on the list."""
    for path, constants in EXAMPLES.items():
        file = checkout / "examples" / path
        name = path.removesuffix(".py").replace("/", ".")
        source = shortened(file.read_text(), constants)
        yield Script(name, source, rows=constants.get(ROWS, FEWEST_ROWS))


def is_chosen(name: str, parts: list[str]) -> bool:
    """Whether one of the parts is in the name; all are, where no part is given."""
    return not parts or any(part in name for part in parts)


def print_row(outcome: Outcome) -> None:
    """One line for each script, as soon as it is known."""
    row = f"{outcome.name:48}{outcome.verdict:16}{outcome.fits:3} fits  {outcome.why}"
    print(row.rstrip(), flush=True)


if __name__ == "__main__":
    main()
