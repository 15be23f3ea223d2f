import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_training import losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


def test_model_without_compile_does_not_train():
    import keras

    model = keras.Sequential(regression().layers)
    x, y = table()
    found = only(fitguard.check_data(model, x, y), "FG602")
    assert found.severity == "error"
    assert model.name in found.title
    with pytest.raises(ValueError, match=r"You must call `compile\(\)`"):
        losses(model, x, y)


def test_compiled_twin_trains_in_silence():
    x, y = table()
    model = regression()
    assert fitguard.check_data(model, x, y).findings == ()
    losses(model, x, y)


def test_tf_keras_refuses_too():
    import tf_keras

    model = tf_keras.Sequential([tf_keras.Input((4,)), tf_keras.layers.Dense(1)])
    x, y = table()
    only(fitguard.check_data(model, x, y), "FG602")
    with pytest.raises(RuntimeError, match="You must compile your model"):
        model.fit(x, y, verbose=0)


def test_own_training_may_need_no_compile():
    data = facts_of(model=model_of(compiled=False, custom_step=True))
    assert run_data("FG602", data).findings[0].confidence == "medium"
