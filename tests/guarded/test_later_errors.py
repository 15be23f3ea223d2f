"""A training that fits at first, and later does not: it ends with the weights of the unlimited one.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

import numpy as np
import pytest
from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import distance, saved

from fitguard.schema.journal import AttemptStarted

SCRIPT = "later_phases.py"
MOST_APART = 1e-4
"""Rounding, after some steps: sums in another order, other fusions."""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "megabytes", "attempts", "said"),
    [
        ("longer", 99, 2, "It starts again with micro-batches of 32 of the 64 rows"),
        ("unfreeze", 97, 1, "out of memory at step 7: the state is rolled back"),
        (
            "validation",
            128,
            1,
            "evaluation or prediction: repeated with 1000 rows at a time",
        ),
        ("on_batch", 91, 1, "out of memory at step 5: the state is rolled back"),
        ("stateful", 24, 1, "the batch of 64 is trained in micro-batches of"),
    ],
)
def test_it_ends_as_without_a_limit(kind, megabytes, attempts, said, tmp_path):
    limit = memory_limit(megabytes)
    limited = run_plain(SCRIPT, tmp_path / "died.npz", kind, **limit)
    assert limited.code == 1
    assert "ResourceExhaustedError" in limited.text
    whole = run_plain(SCRIPT, tmp_path / "whole.npz", kind, **WITHOUT_ONEDNN)
    assert whole.code == 0, whole.text
    with GuardedRun(tmp_path / "run", SCRIPT, kind, environment=limit) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert said in ended.text
    assert len(run.events(AttemptStarted)) == attempts
    assert distance(tmp_path / "whole.npz", run.out) < MOST_APART
    wanted, found = saved(tmp_path / "whole.npz"), saved(run.out)
    for name in (name for name in wanted if not name.startswith("arr_")):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-4, atol=1e-6, err_msg=name)
