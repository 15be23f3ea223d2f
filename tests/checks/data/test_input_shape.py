import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_training import losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


def test_wrong_number_of_columns_stops_training():
    x, y = table(columns=3)
    found = only(fitguard.check_data(regression(), x, y), "FG605")
    assert found.severity == "error"
    assert found.title == "x has samples of shape (3,); the input 'table' takes (4,)"
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 4"):
        losses(regression(), x, y)


def test_fitting_twin_trains_in_silence():
    x, y = table()
    model = regression()
    assert fitguard.check_data(model, x, y).findings == ()
    losses(model, x, y)


def test_keras_adds_and_removes_a_last_axis_of_one():
    x, y = table()
    assert fitguard.check_data(regression(), x[..., None], y).findings == ()
    losses(regression(), x[..., None], y)
    assert fitguard.check_data(regression(1), x[:, 0], y).findings == ()
    losses(regression(1), x[:, 0], y)


def images():
    import keras

    model = keras.Sequential(
        [
            keras.Input((8, 6, 3), name="image"),
            keras.layers.Conv2D(2, 3),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    return model


def test_channels_first_are_put_last():
    x = np.random.default_rng(0).normal(size=(16, 3, 8, 6)).astype("float32")
    y = x.mean(axis=(1, 2, 3))[:, None]
    found = only(fitguard.check_data(images(), x, y), "FG605")
    assert "numpy.moveaxis(x, 1, -1)" in found.fix.text
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 3"):
        losses(images(), x, y)
    model = images()
    moved = np.moveaxis(x, 1, -1)
    assert fitguard.check_data(model, moved, y).findings == ()
    losses(model, moved, y)


@pytest.mark.parametrize(
    ("have", "want", "remedy"),
    [
        ((28, 28), (None, 784), "x.reshape(-1, 784)"),
        ((6, 8), (None, 8, 6), "numpy.transpose(x, ...)"),
        ((5,), (None, None, 7), "keras.Input((5,))"),
    ],
)
def test_fix_says_what_to_write(have, want, remedy):
    data = facts_of(field(shape=have), model=model_of(table_input(shape=want)))
    assert remedy in run_data("FG605", data).findings[0].fix.text


def test_arrays_in_the_wrong_order():
    model = model_of(table_input(), table_input(name="other", shape=(None, 7)))
    swapped = (
        field(name="x[0]", target="table", shape=(7,)),
        field(name="x[1]", target="other", shape=(4,)),
    )
    first, second = run_data("FG605", facts_of(*swapped, model=model)).findings
    assert "x[0] fits the input 'other'" in first.fix.text
    assert "x[1] fits the input 'table'" in second.fix.text


@pytest.mark.parametrize("shape", [(None,), (None, 1)])
def test_open_axes_are_not_judged(shape):
    assert run_data("FG605", facts_of(field(shape=shape))).findings == ()
    data = facts_of(field(shape=(9,)), model=model_of(table_input(shape=(None, None))))
    assert run_data("FG605", data).findings == ()
    data = facts_of(field(shape=(9,)), model=model_of(table_input(shape=None)))
    assert run_data("FG605", data).findings == ()


def test_own_models_are_not_judged():
    judged = run_data("FG605", facts_of(field(shape=(9,)), model=model_of(kind="subclassed")))
    assert "subclassed" in judged.skipped[0].reason
