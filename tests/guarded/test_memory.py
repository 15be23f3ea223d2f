"""A batch that does not fit: plain Keras dies, the guarded run ends with the same weights.

TensorFlow's GPU allocator on the CPU, with a limit; it waits 10 seconds before it gives up.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from guarded.harness import WITHOUT_ONEDNN, GuardedRun, memory_limit, run_plain
from guarded.results import distance

MOST_APART = 1e-6


def assert_trains_within(folder, kind, megabytes):
    """All three at once: most of it is waiting."""
    limit = memory_limit(megabytes)
    with (
        ThreadPoolExecutor(2) as pool,
        GuardedRun(folder / "run", "too_large.py", kind, environment=limit) as run,
    ):
        limited = pool.submit(run_plain, "too_large.py", folder / "died.npz", kind, **limit)
        whole = pool.submit(run_plain, "too_large.py", folder / "whole.npz", kind, **WITHOUT_ONEDNN)
        ended = run.wait()
    assert limited.result().code == 1
    assert "ResourceExhaustedError" in limited.result().text
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    assert distance(folder / "whole.npz", run.out) < MOST_APART
    (fit,) = run.record.fits
    assert 0 < fit.micro_batch < fit.batch_size


@pytest.mark.parametrize(
    ("kind", "megabytes"), [("dense", 40), pytest.param("conv", 130, marks=pytest.mark.soak)]
)
def test_dense_and_convolutional_models_get_to_the_end(kind, megabytes, tmp_path):
    assert_trains_within(tmp_path, kind, megabytes)


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "megabytes"), [("lstm", 75), ("attention", 95)])
def test_recurrent_and_attention_models_get_to_the_end(kind, megabytes, tmp_path):
    assert_trains_within(tmp_path, kind, megabytes)


def test_a_batch_that_layers_look_at_is_split_only_where_that_is_allowed(tmp_path):
    with GuardedRun(tmp_path, "too_large.py", "norm", environment=memory_limit(26)) as run:
        stopped = run.wait()
        assert stopped.code == 1, stopped.text
        told = "fitguard: the batch does not fit, and is not split: BatchNormalization"
        assert stopped.text.count(told) == 1
        assert stopped.text.index("the batch stays whole") < stopped.text.index(told)
        assert len(run.record.attempts) == 1
        (last,) = [one.text for one in run.record.decisions if one.action == "stop"]
        assert last.startswith("Attempt 1 ran out of memory ")
        assert (
            "fitguard stops here: The batch does not fit, and is not split: BatchNormalization "
            "batch_normalization normalizes with the mean and variance of the rows it gets."
        ) in last
        assert last.endswith(
            " With `--allow batch-statistics` fitguard would try more, which changes results."
        )
        ended = run.start("--resume", "--allow", "batch-statistics").wait()
    assert ended.code == 0, ended.text
    (fit,) = run.record.fits
    assert 0 < fit.micro_batch < fit.batch_size
    assert any("BatchNormalization" in sentence for sentence in fit.inexact)
