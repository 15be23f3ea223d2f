import numpy as np
import pytest
from checks.data.made_facts import (
    facts_of,
    field,
    model_of,
    price_output,
    spotted,
    table_input,
    token_input,
)
from checks.data.tiny_training import BATCH, SAMPLES, changed, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


@pytest.fixture
def mixed_float16():
    import keras

    keras.mixed_precision.set_global_policy("mixed_float16")
    yield
    keras.mixed_precision.set_global_policy("float32")


@pytest.mark.usefixtures("mixed_float16")
def test_a_value_beyond_float16_gives_nan_and_no_step():
    x, y = table()
    model = regression()
    bad = changed(x, (3, 1), 70_000)
    found = only(fitguard.check_data(model, bad, y, batch_size=SAMPLES), "FG642")
    assert found.severity == "error"
    assert found.title.startswith("x holds 1 huge value at sample 3, column 1")
    before = model.get_weights()
    history = model.fit(bad, y, batch_size=SAMPLES, epochs=3, verbose=0).history
    assert np.isnan(history["loss"]).all()
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.usefixtures("mixed_float16")
def test_a_rescaling_layer_casts_before_it_scales():
    import keras

    def scaled(**settings):
        model = keras.Sequential(
            [
                keras.Input((4,), name="table"),
                keras.layers.Rescaling(1e-5, **settings),
                keras.layers.Dense(1),
            ]
        )
        model.compile("sgd", "mse")
        return model

    x, y = table()
    x = changed(x, (3, 1), 70_000)
    assert not np.isfinite(losses(scaled(), x, y)).any()
    only(fitguard.check_data(scaled(), x, y, batch_size=BATCH), "FG642")
    twin = scaled(dtype="float32")
    assert fitguard.check_data(twin, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(twin, x, y)).all()


@pytest.mark.usefixtures("mixed_float16")
def test_the_twin_within_float16_trains_in_silence():
    x, y = table()
    model = regression()
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, x, y)).all()


def test_an_unscaled_column_gives_nan_with_sgd():
    x, y = table()
    seconds = np.linspace(1.6e9, 1.7e9, len(x))
    model = regression()
    bad = x.copy()
    bad[:, 2] = seconds
    found = only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG642")
    assert found.severity == "warning"
    assert f"x holds {len(x)} huge values, the first at sample 0, column 2" in found.title
    assert np.isnan(losses(model, bad, y)[-1])


def test_the_scaled_column_trains_in_silence():
    x, y = table()
    seconds = np.linspace(1.6e9, 1.7e9, len(x))
    x[:, 2] = (seconds - seconds.mean()) / seconds.std()
    model = regression()
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    loss = losses(model, x, y, epochs=10)
    assert loss[-1] < loss[0]


def test_labels_of_millions_are_never_reached():
    x, y = table()
    model = regression(optimizer="adam")
    millions = y * 1e6 + 5e6
    found = only(fitguard.check_data(model, x, millions, batch_size=BATCH), "FG642")
    assert found.severity == "warning"
    assert "y holds" in found.title
    assert "log1p" in found.fix.text
    loss = losses(model, x, millions, epochs=10)
    twin = losses(regression(optimizer="adam"), x, y, epochs=10)
    assert loss[-1] > 0.999 * loss[0]
    assert twin[-1] < 0.95 * twin[0]


def test_squares_that_overflow_float32_are_an_error():
    x, y = table()
    model = regression(optimizer="adam")
    bad = changed(x, (0, 0), 1e20)
    found = only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG642")
    assert found.severity == "error"
    assert "infinite in float32" in found.title
    assert not np.isfinite(losses(model, bad, y)).any()


def huge(**more):
    return field(minimum=0.0, maximum=1e9, outside=spotted(4, 5, 1), **more)


def test_what_scales_is_left_alone():
    model = model_of(table_input(rescaled=True))
    assert run_data("FG642", facts_of(huge(allowed=(-1e6, 1e6)), model=model)).findings == ()


def test_indices_are_judged_elsewhere():
    model = model_of(token_input())
    assert run_data("FG642", facts_of(huge(allowed=(0.0, 9.0)), model=model)).findings == ()


@pytest.mark.parametrize(
    "output", [price_output(loss="poisson"), price_output(loss="mine", custom=True)]
)
def test_labels_of_other_losses_are_left_alone(output):
    labels = field("y", minimum=0.0, maximum=1e9, outside=spotted(1), allowed=(-1e6, 1e6))
    facts = facts_of(labels, model=model_of(outputs=(output,)))
    assert run_data("FG642", facts).findings == ()
