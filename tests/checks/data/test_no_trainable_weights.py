import numpy as np
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_training import losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


def test_frozen_model_learns_nothing():
    model = regression()
    model.trainable = False
    x, y = table()
    found = only(fitguard.check_data(model, x, y), "FG603")
    assert found.severity == "error"
    assert "all 49 are frozen" in found.title
    before = model.get_weights()
    first, last = losses(model, x, y)
    assert np.isclose(first, last)
    assert all(np.array_equal(*pair) for pair in zip(before, model.get_weights(), strict=True))


def test_twin_with_one_trainable_layer_learns_in_silence():
    model = regression()
    model.layers[0].trainable = False
    x, y = table()
    assert fitguard.check_data(model, x, y).findings == ()
    first, last = losses(model, x, y)
    assert last < first


def test_model_without_any_weights():
    import keras

    model = keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda t: t[:, :1])])
    model.compile("sgd", "mse")
    x, y = table()
    assert "no layer has any" in only(fitguard.check_data(model, x, y), "FG603").title
    assert np.isclose(*losses(model, x, y))


def test_nothing_is_said_of_what_is_not_known():
    for model in (
        model_of(trainable_weights=None),
        model_of(trainable_weights=0, weights=9, custom_step=True),
        model_of(trainable_weights=0, weights=0, built=False),
    ):
        assert run_data("FG603", facts_of(model=model)).findings == ()


def test_tf_keras_must_compile_again():
    data = facts_of(model=model_of(library="tf_keras 2.21.0", weights=9, trainable_weights=0))
    found = run_data("FG603", data).findings[0]
    assert found.confidence == "medium"
    assert "compile again" in found.fix.text
