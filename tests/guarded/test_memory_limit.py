"""`fitguard run --memory-limit`: a batch that does not fit is split, and the weights are right."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import distance

from fitguard.report.render import render

MOST_APART = 1e-6
MIB = 2**20


@pytest.mark.parametrize(
    "script", ["own_devices.py", pytest.param("too_large.py", marks=pytest.mark.soak)]
)
def test_a_batch_that_does_not_fit_is_split(script, tmp_path):
    limit = ("--memory-limit", "40MiB")
    with (
        ThreadPoolExecutor(1) as pool,
        GuardedRun(tmp_path / "run", script, "dense", options=limit) as run,
    ):
        whole = pool.submit(run_plain, "too_large.py", tmp_path / "whole.npz", "dense")
        ended = run.wait()
    assert whole.result().code == 0, whole.result().text
    assert ended.code == 0, ended.text
    assert distance(tmp_path / "whole.npz", run.out) < MOST_APART
    (fit,) = run.record.fits
    assert 0 < fit.micro_batch < fit.batch_size
    assert run.record.memory_limit_bytes == 40 * MIB
    assert all((one.allocator_peak_bytes or 0) <= 40 * MIB for one in run.record.samples)
    assert "Memory limit" in render(run.record, "text")
