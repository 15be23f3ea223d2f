"""Two replicas that must not split their shares, in too little memory, and killed on the way.

TensorFlow's GPU allocator on the CPU, with a limit that both share; it waits 10 seconds before it
gives up.
"""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import difference
from guarded.soaking import OFTEN

from fitguard.schema.journal import RecomputationChosen

SCRIPT = "mirrored_statistics.py"
MEGABYTES = 60
FEW_STEPS = 3


def kill_after_snapshot(run):
    """Kill a training once it has a snapshot, in whatever attempt: one may have needed another."""
    number = 0
    while (child := run.next_child(after=number)) is not None:
        number = child.number
        if child.wait_for(lambda child=child: child.beat().saved_steps >= FEW_STEPS):
            return child.signal(signal.SIGKILL)
    return False


@pytest.mark.parametrize("library", ["keras", pytest.param("tf_keras", marks=pytest.mark.soak)])
def test_killed_and_resumed_it_ends_with_the_bits_of_the_unlimited_run(library, tmp_path):
    limit = memory_limit(MEGABYTES)
    with (
        ThreadPoolExecutor(2) as pool,
        GuardedRun(
            tmp_path / "run",
            SCRIPT,
            library,
            options=[*OFTEN, "--exact-only"],
            environment=limit,
        ) as run,
    ):
        limited = pool.submit(run_plain, SCRIPT, tmp_path / "died.npz", library, **limit)
        whole = pool.submit(run_plain, SCRIPT, tmp_path / "whole.npz", library, **WITHOUT_ONEDNN)
        assert kill_after_snapshot(run)
        ended = run.wait()
    assert limited.result().code == 1
    assert "ResourceExhaustedError" in limited.result().text
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    assert run.record.attempts[-1].first.total_steps >= FEW_STEPS
    assert run.events(RecomputationChosen)
    assert difference(tmp_path / "whole.npz", run.out) == ""
