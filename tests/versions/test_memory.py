"""A batch that does not fit is split, and the training ends where it would have ended.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

from concurrent.futures import ThreadPoolExecutor

from guarded.harness import WITHOUT_ONEDNN, memory_limit, run_plain
from guarded.results import distance
from versions.trainings import (
    LONGEST_SECONDS,
    SCRIPTS,
    as_package,
    assert_finished,
    guarded,
    reason_in,
    train_plainly,
)

MEGABYTES = 40
MOST_APART = 1e-6


def test_a_batch_that_does_not_fit_is_split(package, tmp_path):
    ours, script = as_package(package) | WITHOUT_ONEDNN, "too_large.py"
    limited = {**ours, **memory_limit(MEGABYTES)}
    # All three at once: most of it is waiting.
    with ThreadPoolExecutor(2) as pool, guarded(tmp_path / "run", limited, script) as run:
        died = pool.submit(run_plain, SCRIPTS / script, tmp_path / "died.npz", **limited)
        whole = pool.submit(train_plainly, tmp_path, ours, script)
        ended = run.wait(LONGEST_SECONDS)
    assert "ResourceExhaustedError" in died.result().text, reason_in(died.result().text)
    assert_finished(ended)
    (fit,) = run.record.fits
    assert 0 < fit.micro_batch < fit.batch_size, "the batch was not split"
    assert distance(whole.result(), run.out) < MOST_APART
