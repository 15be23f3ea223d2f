"""What looking costs: one look, and a page of ten runs that is left open.

    python bench/watch_cost.py

A look costs the one who looks; the training does not notice. Shares are of one processor core.
"""

import contextlib
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from watching.made_folder import make_folder

from fitguard.monitor.journal import now
from fitguard.supervise.lock import locking_run
from fitguard.watching.glance import Glance
from fitguard.watching.web.board import Board

RUNS = 10
TRAINED_SECONDS = 7200
OPEN_SECONDS = 30


def main() -> None:
    """Ten runs of two hours each, all of them running."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as held:
        print(f"making {RUNS} runs of {TRAINED_SECONDS // 3600} hours …", flush=True)
        runs = Path(folder) / "runs"
        for number in range(RUNS):
            began = now() - TRAINED_SECONDS
            options = {"seconds": TRAINED_SECONDS, "began": began, "ended": False}
            made = make_folder(runs / f"20261116-10000{number}-train-aaaa", **options)
            held.enter_context(locking_run(made))
        print(f"one look: {1000 * measure_look(made):.1f} ms")
        print(f"a page of {RUNS} runs: {measure_page(runs, made.id):.1%} of a core")
        print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def measure_look(folder) -> float:
    """Seconds of the processor for a look at a run that was looked at before."""
    glance = Glance(folder)
    glance.look()
    begun = time.process_time()
    for _ in range(20):
        glance.look()
    return (time.process_time() - begun) / 20


def measure_page(runs: Path, run: str) -> float:
    """The part of a core that a page takes while it is open, after its first second."""
    board = Board(runs, run)
    board.show(run, str)
    begun, before = time.monotonic(), time.process_time()
    while time.monotonic() - begun < OPEN_SECONDS:
        # A training writes: what is kept for runs that stand still does not count.
        os.utime(runs / run / "journal.jsonl")
        board.show(run, str)
        time.sleep(board.seconds)
    return (time.process_time() - before) / (time.monotonic() - begun)


if __name__ == "__main__":
    main()
