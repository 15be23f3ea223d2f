import msgspec
import pytest
from checks.data.made_facts import facts_of, model_of, price_output
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


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_without_a_loss_there_is_nothing_to_train_on(library):
    keras = pytest.importorskip(library)
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd")
    x, y = table()
    found = only(fitguard.check_data(model, x, y), "FG602")
    assert "without a loss" in found.title
    with pytest.raises(ValueError, match="No loss"):
        model.fit(x, y, verbose=0)


def test_a_layer_that_adds_a_loss_is_enough():
    import keras

    class Penalty(keras.layers.Layer):
        def call(self, inputs):
            self.add_loss(keras.ops.mean(inputs**2))
            return inputs

    layers = [keras.Input((4,)), keras.layers.Dense(1), Penalty()]
    model = keras.Sequential(layers)
    model.compile("sgd")
    x, _ = table()
    assert fitguard.check_data(model, x).findings == ()
    model.fit(x, verbose=0)


def two_outputs(loss):
    import keras

    inputs = keras.Input((4,))
    ends = [keras.layers.Dense(1, name=name)(inputs) for name in ("near", "far")]
    model = keras.Model(inputs, ends)
    model.compile("sgd", loss)
    return model


@pytest.mark.parametrize(
    ("loss", "words"),
    [({"near": "mse"}, "leaves out far"), ({"near": "mse", "fra": "mse"}, "has fra, which no")],
)
def test_a_dict_of_losses_with_other_keys(loss, words):
    x, y = table()
    labels = {"near": y, "far": y}
    found = only(fitguard.check_data(two_outputs(loss), x, labels, select="FG602"), "FG602")
    assert words in found.title
    with pytest.raises(ValueError, match="in loss dict"):
        two_outputs(loss).fit(x, labels, verbose=0)


def test_none_for_an_output_that_is_not_trained():
    x, y = table()
    model = two_outputs({"near": "mse", "far": None})
    assert fitguard.check_data(model, x, {"near": y, "far": y}).findings == ()
    model.fit(x, {"near": y, "far": y}, verbose=0)


def test_tf_keras_takes_a_dict_that_leaves_an_output_out():
    ends = (price_output(), msgspec.structs.replace(price_output(), name="far"))
    model = model_of(outputs=ends, library="tf_keras 2.21.0", loss_keys=("price",))
    assert run_data("FG602", facts_of(model=model)).findings == ()
