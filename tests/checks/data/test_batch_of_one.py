import numpy as np
from checks.data.made_facts import facts_of, model_of
from checks.data.made_pipelines import source, stages
from checks.data.tiny_training import only, table

import fitguard
from fitguard.checks.framework.testing import run_data

NORM = model_of(batch_statistics=("norm",), flat_statistics=("norm",))


def normalised():
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((4,), name="table"),
            keras.layers.Dense(8, name="first"),
            keras.layers.BatchNormalization(name="norm"),
            keras.layers.Dense(1, name="price"),
        ]
    )
    model.compile("sgd", "mse")
    return model


def movement(batch_size: int) -> float:
    """How far the weights in front of the layer move in an epoch."""
    model, (x, y) = normalised(), table()
    before = model.get_layer("first").get_weights()[0].copy()
    model.fit(x, y, batch_size=batch_size, verbose=0)
    return float(np.abs(model.get_layer("first").get_weights()[0] - before).max())


def test_batches_of_one_teach_nothing():
    assert movement(1) == 0.0
    finding = only(fitguard.check_data(normalised(), *table(), batch_size=1), "FG661")
    assert finding.severity == "error"
    assert "norm gives 0 for every sample" in finding.title


def test_batches_of_two_teach_something():
    assert movement(2) > 0.0
    assert fitguard.check_data(normalised(), *table(), batch_size=2).findings == ()


def test_a_last_batch_of_one_pulls_the_variance_down():
    model, (x, y) = normalised(), table()
    before = model.get_layer("norm").moving_variance.numpy()
    model.train_on_batch(x[:1], y[:1])
    np.testing.assert_allclose(
        model.get_layer("norm").moving_variance.numpy(), before * 0.99, rtol=1e-6
    )
    finding = only(fitguard.check_data(normalised(), x, y, batch_size=9), "FG661")
    assert finding.severity == "warning"
    assert finding.title.startswith("The last batch has one sample: norm gives 0")
    assert "batch_size=8" in finding.fix.text


def test_no_last_batch_of_one():
    assert fitguard.check_data(normalised(), *table(), batch_size=8).findings == ()


def test_a_dataset_is_told_to_drop_the_rest():
    read = source(
        stages(
            ("from_tensor_slices", {"elements": 33}),
            ("batch", {"batch_size": 8, "drop_remainder": False}),
        ),
        batch_size=8,
        last_batch_size=None,
    )
    finding = only(run_data("FG661", facts_of(model=NORM, sources=(read,))), "FG661")
    assert ".batch(8, drop_remainder=True)" in finding.fix.text


def test_skipped_behind_a_convolution():
    facts = facts_of(model=model_of(batch_statistics=("norm",)), sources=(source(batch_size=1),))
    assert run_data("FG661", facts).skipped[0].reason.startswith("no BatchNormalization")


def test_silent_where_the_end_is_not_known():
    read = source(batch_size=8, last_batch_size=None, samples=None, batches=None)
    assert run_data("FG661", facts_of(model=NORM, sources=(read,))).findings == ()
