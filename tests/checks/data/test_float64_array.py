import tracemalloc

import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of
from checks.data.tiny_training import only, regression

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source
from fitguard.schema.hardware import Host

_GIB = 2**30


def peak_bytes(x):
    """What one short training allocates at most."""
    y = np.zeros((len(x), 1), "float32")
    model = regression(x.shape[1])
    model.fit(x[:32], y[:32], verbose=0)
    tracemalloc.start()
    model.fit(x, y, batch_size=256, verbose=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_fit_copies_the_whole_array():
    x = np.random.default_rng(0).normal(size=(4096, 512))
    extra = peak_bytes(x) - peak_bytes(x.astype("float32"))
    assert extra > 0.45 * x.nbytes


def test_large_array_is_found_and_its_twin_is_not():
    # Zeros that were never written take no memory.
    large = np.zeros((2**18, 1024))
    y = np.arange(2.0**18, dtype="float32")[:, None]
    found = only(fitguard.check_data(regression(1024), large, y, ignore="FG678"), "FG608")
    assert found.severity == "warning"
    assert found.title.startswith("x is float64, 2.0 GiB: fit makes a float32 copy of 1.0 GiB")
    twin = np.zeros((2**18, 1024), "float32")
    report = fitguard.check_data(regression(1024), twin, y, ignore="FG678")
    assert report.findings == ()


def array_facts(size_bytes, kind="arrays", **more):
    return facts_of(
        field(dtype="float64", size_bytes=size_bytes),
        sources=(Source(kind=kind, container="numpy.ndarray"),),
        **more,
    )


def test_a_quarter_of_the_free_memory_counts_as_large():
    host = Host(available_bytes=2 * _GIB)
    found = run_data("FG608", array_facts(_GIB, host=host)).findings[0]
    assert any("2.0 GiB are free" in item.text for item in found.evidence)
    assert run_data("FG608", array_facts(_GIB, host=Host(available_bytes=8 * _GIB))).findings == ()


@pytest.mark.parametrize(
    "data",
    [
        array_facts(None),
        array_facts(_GIB),
        array_facts(8 * _GIB, kind="dataset"),
        array_facts(8 * _GIB, model=model_of(compute_dtype="float64")),
    ],
)
def test_nothing_is_said_of_small_arrays_streams_and_models_of_float64(data):
    assert run_data("FG608", data).findings == ()
