import numpy as np
import pytest
from checks.data.made_facts import facts_of, field
from checks.data.tiny_training import BATCH, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def test_arrays_of_different_lengths_stop_training():
    x, y = table()
    found = only(fitguard.check_data(regression(), x, y[:-7]), "FG609")
    assert found.severity == "error"
    assert "x has 64, y has 57" in found.title
    with pytest.raises(ValueError, match="Data cardinality is ambiguous"):
        losses(regression(), x, y[:-7])


def test_sample_weights_count_too():
    x, y = table()
    found = only(fitguard.check_data(regression(), x, y, np.ones(60)), "FG609")
    assert "sample_weight has 60" in found.title
    with pytest.raises(ValueError, match="'sample_weight' sizes: 60"):
        losses(regression(), x, y, sample_weight=np.ones(60))


def test_equal_twin_trains_in_silence():
    x, y = table()
    model = regression()
    assert fitguard.check_data(model, x, y, np.ones(64)).findings == ()
    losses(model, x, y, sample_weight=np.ones(64))


def uneven():
    x, y = table()
    for _ in range(3):
        yield x[:BATCH], y[: BATCH - 5]


def test_batches_of_a_generator():
    found = only(fitguard.check_data(regression(), uneven()), "FG609")
    assert "in batch 0 of the generator differ: x has 16, y has 11" in found.title
    with pytest.raises(Exception, match="ncompatible shapes"):
        regression().fit(uneven(), verbose=0)


def test_validation_data_is_named():
    x, y = table()
    report = fitguard.check_data(regression(), x, y, validation_data=(x + 9, y[:-1]))
    assert "validation x has 64, validation y has 63" in only(report, "FG609").title


def test_unknown_lengths_are_not_judged():
    one, other = field(samples=None), field("y")
    arrays = Source(kind="arrays", container="numpy.ndarray")
    assert run_data("FG609", facts_of(one, other, sources=(arrays,))).findings == ()
    assert run_data("FG609", facts_of(one, other)).findings == ()


def test_stored_values_of_a_sparse_stream_are_no_samples():
    sparse = field(container="tf.SparseTensor", samples_seen=7)
    stream = Source(kind="dataset", container="tf.data.Dataset")
    assert run_data("FG609", facts_of(sparse, field("y"), sources=(stream,))).findings == ()


def test_batches_that_make_up_for_each_other():
    def batches():
        x, y = table()
        yield x[:8], y[:8]
        yield x[:8], y[:7]
        yield x[:7], y[:8]

    found = only(fitguard.check_data(regression(), batches()), "FG609")
    assert "in batch 1 of the generator differ: x has 8, y has 7" in found.title
