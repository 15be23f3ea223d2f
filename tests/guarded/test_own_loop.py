"""A loop of one's own whose step does not fit, under `fitguard run`; and killed in the middle.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

from concurrent.futures import ThreadPoolExecutor

from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import distance

from fitguard.schema.journal import AttemptEnded, FitBegan, RecomputationChosen

SCRIPT = "own_step_loop.py"
MOST_APART = 1e-4
"""Rounding, after some steps: the graph optimizer fuses other operations."""


def test_it_goes_on_with_the_batch_whole_and_after_a_kill_as_it_was(tmp_path):
    limit = memory_limit(110)
    with (
        ThreadPoolExecutor(1) as pool,
        GuardedRun(
            tmp_path / "run",
            SCRIPT,
            "whole",
            3,
            options=["--exact-only", "--snapshot-seconds", "0.01"],
            environment=limit,
        ) as run,
    ):
        whole = pool.submit(run_plain, SCRIPT, tmp_path / "whole.npz", "whole", **WITHOUT_ONEDNN)
        ended = run.wait()
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    assert distance(tmp_path / "whole.npz", run.out) < MOST_APART
    assert "out of memory at step 1: the state is rolled back" in ended.text
    # How much fits depends on the order of two threads: a later step may need another process, too.
    (killed,) = (one.attempt for one in run.events(AttemptEnded) if one.outcome == "killed")
    chosen = run.events(RecomputationChosen)
    *_, found = (event.wanted for event in chosen if event.attempt <= killed)
    # What was found out is not found out again.
    assert next(event.wanted for event in chosen if event.attempt > killed) == found
    assert run.events(FitBegan)[-1].place.step > 0
    assert run.record.fits[0].micro_batch is None
