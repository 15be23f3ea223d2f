import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_streams import dataset, generator, steps
from checks.data.tiny_training import BATCH, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source, Training


def test_empty_dataset_trains_nothing():
    empty = dataset(1000, drop_remainder=True)
    found = only(fitguard.check_data(regression(), empty), "FG611")
    assert found.severity == "error"
    assert found.title.startswith("There is no batch in the ")
    model = regression()
    assert model.fit(empty, verbose=0).history == {}


def test_generator_ends_before_the_second_epoch():
    found = only(fitguard.check_data(regression(), generator(), epochs=3), "FG611")
    assert found.severity == "error"
    assert "ends after 4 batches, fit is to make 3 epochs" in found.title
    assert steps(regression(), generator(), epochs=3) == [4, 2, 2]


def test_generator_with_too_many_steps():
    given = {"epochs": 3, "steps_per_epoch": 4}
    found = only(fitguard.check_data(regression(), generator(), **given), "FG611")
    assert "4 steps in each of 3 epochs" in found.title
    assert sum(steps(regression(), generator(), **given)) < 12


def test_generator_that_lasts_trains_in_silence():
    for given in ({}, {"epochs": 2, "steps_per_epoch": 2}):
        report = fitguard.check_data(regression(), generator(), **given)
        assert report.findings == ()
        assert sum(steps(regression(), report.x, **given)) == 4


@pytest.mark.parametrize(("asked", "made"), [(3, [3, 1, 3]), (10, [4, 4, 4])])
def test_dataset_is_cut_short(asked, made):
    given = {"epochs": 3, "steps_per_epoch": asked}
    found = only(fitguard.check_data(regression(), dataset(), **given), "FG611")
    assert found.severity == "warning"
    assert "4 batches" in found.title
    assert "epochs are cut short" in found.title
    assert steps(regression(), dataset(), **given) == made
    x, y = table()
    only(fitguard.check_data(regression(), x, y, batch_size=BATCH, **given), "FG611")
    assert steps(regression(), x, y, batch_size=BATCH, **given) == made


@pytest.mark.parametrize("asked", [2, 4, None])
def test_dataset_that_comes_out_even_trains_in_silence(asked):
    given = {"epochs": 3, "steps_per_epoch": asked}
    assert fitguard.check_data(regression(), dataset(), **given).findings == ()
    assert steps(regression(), dataset(), **given) == [asked or 4] * 3


def stream(training, library="keras 3.15.1", **source):
    known = {"kind": "dataset", "container": "tf.data.Dataset", "batches": 4, **source}
    return facts_of(model=model_of(library=library), training=training, sources=(Source(**known),))


@pytest.mark.parametrize(
    ("kind", "asked", "stops"),
    [("dataset", 3, True), ("dataset", 4, False), ("arrays", 3, False), ("pydataset", 5, True)],
)
def test_tf_keras_ends_the_training(kind, asked, stops):
    training = Training(epochs=3, steps_per_epoch=asked)
    found = run_data("FG611", stream(training, "tf_keras 2.21.0", kind=kind)).findings
    assert bool(found) is stops
    assert all("training stops early" in one.title for one in found)


def test_nothing_is_said_of_an_unknown_end():
    asked = Training(epochs=3, steps_per_epoch=3)
    for source in (
        {"batches": None},
        {"endless": True},
        {"kind": "generator", "handed_back": True, "batches_seen": 4, "batches": 3},
    ):
        assert run_data("FG611", stream(asked, **source)).findings == ()


def test_empty_validation_data_is_a_warning():
    found = run_data("FG611", stream(Training(), split="validation", batches=0)).findings[0]
    assert found.severity == "warning"
    assert "the validation tf.data.Dataset" in found.title
