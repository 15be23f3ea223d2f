import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_streams import dataset, steps
from checks.data.tiny_training import BATCH, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source, Training


def test_batch_larger_than_the_data_learns_less():
    x, y = table()
    found = only(fitguard.check_data(regression(), x, y, batch_size=1000), "FG615")
    assert found.severity == "warning"
    assert found.title == "The batch size 1,000 is larger than the 64 samples: one step an epoch"
    large, small = regression(), regression()
    assert steps(large, x, y, batch_size=1000, epochs=5) == [1] * 5
    small.fit(x, y, batch_size=6, epochs=5, verbose=0)
    assert small.evaluate(x, y, verbose=0) < large.evaluate(x, y, verbose=0) / 2


@pytest.mark.parametrize("size", [BATCH, 64, None])
def test_twin_with_a_fitting_batch_trains_in_silence(size):
    x, y = table()
    assert fitguard.check_data(regression(), x, y, batch_size=size).findings == ()
    assert steps(regression(), x, y, batch_size=size) == [-(-64 // (size or 32))]


def test_negative_batch_stops_training():
    x, y = table()
    found = only(fitguard.check_data(regression(), x, y, batch_size=-1), "FG615")
    assert found.severity == "error"
    with pytest.raises(ValueError, match="Invalid value in tensor used for shape"):
        regression().fit(x, y, batch_size=-1, verbose=0)


def test_zero_counts_as_not_given_in_keras_3():
    x, y = table()
    found = only(fitguard.check_data(regression(), x, y, batch_size=0), "FG615")
    assert found.severity == "warning"
    assert "Keras 3 takes 32" in found.title
    assert steps(regression(), x, y, batch_size=0) == [2]


def test_zero_is_refused_by_tf_keras():
    data = facts_of(
        model=model_of(library="tf_keras 2.21.0"),
        training=Training(batch_size=0),
        sources=(Source(kind="arrays", container="numpy.ndarray", samples=9),),
    )
    assert run_data("FG615", data).findings[0].severity == "error"


def test_dataset_with_too_large_a_batch():
    found = only(fitguard.check_data(regression(), dataset(1000)), "FG615")
    assert any(item.source == "dataset.batch" for item in found.evidence)
    assert steps(regression(), dataset(1000)) == [1]


def test_default_batch_and_unknown_data_are_not_judged():
    few = Source(kind="arrays", container="numpy.ndarray", samples=13)
    unknown = Source(kind="dataset", container="tf.data.Dataset")
    for source, size in ((few, 32), (few, None), (unknown, 512)):
        data = facts_of(training=Training(batch_size=size), sources=(source,))
        assert run_data("FG615", data).findings == ()


def test_one_step_an_epoch_for_many_epochs_is_only_worth_knowing():
    report = fitguard.check_data(regression(), *table(), batch_size=1000, epochs=300)
    assert only(report, "FG615").severity == "info"
