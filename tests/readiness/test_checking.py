"""`fitguard.check` on models."""

import numpy as np
import pytest

import fitguard
from fitguard.schema.exit_codes import UsageError


@pytest.fixture(scope="module")
def model():
    import keras

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    return model


X = np.random.default_rng(1).random((64, 4)).astype("float32")


def test_data_and_memory_in_one_report(model):
    y = np.arange(64) % 3
    report = fitguard.check(model, X, y, batch_size=16, gpu="RTX 3060", machine=False)
    assert report.ok
    assert report.doctor is None
    [fit] = report.fits
    assert fit.plan.fits
    assert fit.plan.batch_size == 16
    assert fit.data.facts.training.batch_size == 16
    assert int(model.optimizer.iterations) == 0
    assert report.x is X


def test_wrong_labels_fail(model):
    report = fitguard.check(model, X, np.arange(64) % 4, machine=False)
    assert report.verdict == "fails"
    assert "FG620" in report.steps[0].title


def test_a_generator_is_given_back(model):
    def batches():
        while True:
            yield X[:8], np.arange(8) % 3

    given = batches()
    report = fitguard.check(model, given, steps_per_epoch=3, machine=False)
    assert report.fits[0].plan.batch_size == 8
    assert report.x is not given
    first, _ = next(iter(report.x))
    assert np.array_equal(first, X[:8])


def test_a_model_alone(model):
    report = fitguard.check(model, machine=False)
    assert report.headline.endswith("but no data were checked")
    assert "give (model, x, y)" in report.fits[0].notes[0]


def test_what_fit_does_not_take(model):
    with pytest.raises(
        UsageError, match=r"Received batchsize\. Expected arguments of fit: .*batch_size"
    ):
        fitguard.check(model, X, batchsize=3)


def test_what_cannot_be_planned_is_a_note():
    report = fitguard.check(object(), X, machine=False)
    assert any("could not be planned" in note for note in report.fits[0].notes)


def test_a_step_that_cannot_be_traced_is_doubted():
    import keras

    def broken(*_):
        raise ValueError("no such loss")

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    model.compile("sgd", broken)
    report = fitguard.check(model, X, np.zeros((64, 3), "float32"), machine=False)
    assert report.verdict == "warnings"
    assert "no such loss" in report.headline
    assert report.steps[0].fits == (1,)
