"""Public Keras examples, each killed once: the same after the restart, or announced at the start.

    .venv/bin/python bench/keras_examples.py ../keras-io
    .venv/bin/python bench/keras_examples.py ../keras-io --only gan vae --jobs 2

Takes a checkout of keras-io. Each example of the list runs plainly and under `fitguard run`, with
small random data of the right shape and few steps, in both ways alike; SIGKILL comes at a random
step, callback, epoch or evaluation. Compared are all weights, variables of optimizers and metrics,
histories, written files and generators of random numbers.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.append(str(TESTS))

from corpus.cases import Case  # noqa: E402
from corpus.judging import Outcome, judge  # noqa: E402
from corpus.moments import Moment, as_order, draw_first, read_events  # noqa: E402
from corpus.running import Run  # noqa: E402
from guard.transparent.running import (  # noqa: E402
    PRELOAD,
    Left,
    Script,
    first_difference,
    last_line,
    run,
)
from guard_transparent import is_chosen, public_examples  # noqa: E402

from fitguard.monitor.journal import Journal  # noqa: E402

GUARDED = ["-m", "fitguard", "run", "--snapshot-seconds", "0.05"]
SAID = "UNKEPT"
"""Said at the start that it may differ, and it does: with examples, that is a kept promise."""


def main() -> int:
    """0 where nothing is silent, late, broken or a false alarm."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("checkout", type=Path, help="folder with a checkout of keras-io")
    options.add_argument("--only", nargs="+", default=[], help="parts of the names of examples")
    options.add_argument("--jobs", type=int, default=1, help="examples at a time")
    options.add_argument("--seed", default="1")
    options.add_argument("--keep", type=Path, help="folder for all that the runs left")
    given = options.parse_args()
    examples = [one for one in public_examples(given.checkout) if is_chosen(one.name, given.only)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(given.jobs) as pool:
        folder = given.keep or Path(name)
        outcomes = []
        for outcome in pool.map(lambda one: try_example(one, folder, given.seed), examples):
            print(f"{outcome.name:52}{outcome.verdict:15}{outcome.why}"[:300], flush=True)
            outcomes.append(outcome)
    counts = Counter(outcome.verdict for outcome in outcomes)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 0 if all(one.is_good or one.verdict == "fails plainly" for one in outcomes) else 1


def try_example(example: Script, folder: Path, seed: str) -> Outcome:
    """Run it plainly, then killed once; where they differ, plainly once more."""
    plain, events = run_watched(example, folder / f"{example.name}.plain", [])
    if plain.code or plain.report is None:
        return Outcome(example.name, "fails plainly", last_line(plain.output))
    moment = draw_first(Random(f"{seed} {example.name}"), read_events(events), kills=1)
    place = folder / f"{example.name}.killed"
    killed, events = run_watched(example, place, GUARDED, moment)
    journals = sorted(place.glob("fitguard-runs/*/journal.jsonl"))
    journal = Journal(journals[-1]).read() if journals else []
    broken = "" if killed.report else f"exit code {killed.code}: {last_line(killed.output)}"
    left = {"left": first_difference(plain, killed)} if not broken else {}
    done = Run([str(moment)], left, journal, read_events(events), broken)
    outcome = judge(Case(place / "script.py", example.name), {"left": ""}, [done])
    if outcome.verdict == "SILENT":
        again, _ = run_watched(example, folder / f"{example.name}.again", [])
        outcome = (
            replace(outcome, verdict="UNSTABLE") if first_difference(plain, again) else outcome
        )
    verdict = "announced" if outcome.verdict == SAID else outcome.verdict
    return replace(outcome, name=example.name, verdict=verdict)


def run_watched(
    example: Script, folder: Path, own: list[str], moment: Moment | None = None
) -> tuple[Left, Path]:
    """Run it; what it left, and where its events are."""
    events = folder / "events.log"
    more = {"TRANSPARENT_EVENTS": str(events), "PYTHONPATH": f"{PRELOAD}:{TESTS}"}
    if moment is not None:
        more["TRANSPARENT_MOMENT"] = json.dumps(as_order(moment))
    return run(example, folder, own, **more), events


if __name__ == "__main__":
    sys.exit(main())
