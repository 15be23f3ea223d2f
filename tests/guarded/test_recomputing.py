"""A batch that must stay whole does not fit: part of each step is computed twice.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import distance

from fitguard.schema.journal import AttemptStarted, RecomputationChosen

SCRIPT = "batch_statistics.py"
MOST_APART = 5e-4
"""Rounding, after some steps: the graph optimizer fuses other operations."""


@pytest.mark.parametrize(("kind", "megabytes", "least"), [("all", 110, 1), ("growing", 110, 2)])
def test_it_ends_with_the_weights_of_the_unlimited_run(kind, megabytes, least, tmp_path):
    limit = memory_limit(megabytes)
    with (
        ThreadPoolExecutor(2) as pool,
        GuardedRun(
            tmp_path / "run", SCRIPT, kind, options=["--exact-only"], environment=limit
        ) as run,
    ):
        limited = pool.submit(run_plain, SCRIPT, tmp_path / "died.npz", kind, **limit)
        whole = pool.submit(run_plain, SCRIPT, tmp_path / "whole.npz", kind, **WITHOUT_ONEDNN)
        ended = run.wait()
    assert limited.result().code == 1
    assert "ResourceExhaustedError" in limited.result().text
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    assert distance(tmp_path / "whole.npz", run.out) < MOST_APART
    (fit,) = run.record.fits
    assert fit.micro_batch is None
    chosen = run.events(RecomputationChosen)
    assert chosen
    assert all(0 < event.share < 1 and event.count for event in chosen)
    assert ended.text.count("the batch stays whole") == len(chosen)
    assert len(run.events(AttemptStarted)) >= least
    assert any(decision.action == "recompute" for decision in run.record.decisions)
