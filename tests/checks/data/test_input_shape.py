import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_streams import dataset
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
        ((6, 8), (None, 8, 6), "numpy.swapaxes(x, 1, 2)"),
        ((6, 4, 8), (None, 8, 6, 4), "numpy.transpose(x, ...)"),
        ((8, 8), (None, 8, 8, 3), "numpy.repeat(x[..., None], 3, axis=-1)"),
        ((8, 8, 1), (None, 8, 8, 3), "numpy.repeat(x, 3, axis=-1)"),
        ((8, 8, 4), (None, 8, 8, 3), "x[..., :3]"),
        ((8, 8, 3), (None, 8, 8, 1), "tf.image.rgb_to_grayscale(x)"),
        ((8, 3), (None, 100, 8, 3), "x[None]"),
        ((64,), (None, 100), "x.T"),
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


def test_x_and_y_in_the_wrong_order():
    x, y = table()
    found = only(fitguard.check_data(regression(), y[:, 0], x), "FG605")
    assert "x and y in the wrong order" in found.fix.text


def test_a_transposed_table():
    x, y = table()
    report = fitguard.check_data(regression(), x.T, y)
    assert [finding.code for finding in report.findings] == ["FG605", "FG609"]
    assert "x.T" in report.findings[0].fix.text


def test_batches_of_batches():
    twice = dataset().batch(2).prefetch(1)
    found = only(fitguard.check_data(regression(), twice), "FG605")
    assert "call .batch only once" in found.fix.text
    with pytest.raises(ValueError, match="incompatible shape"):
        regression().fit(twice, verbose=0)


def unbuilt(keras):
    model = keras.Sequential(
        [
            keras.layers.Rescaling(0.5),
            keras.layers.Conv2D(2, 3, name="first"),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    return model


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_a_model_that_is_not_built_takes_no_fewer_axes(library):
    keras = pytest.importorskip(library)
    x = np.random.default_rng(0).normal(size=(16, 8, 6)).astype("float32")
    y = x.mean(axis=(1, 2))[:, None]
    found = only(fitguard.check_data(unbuilt(keras), x, y), "FG605")
    assert found.title == "x has samples of shape (8, 6); first takes samples with 3 axes"
    with pytest.raises(ValueError, match="expected min_ndim=4, found ndim=3"):
        unbuilt(keras).fit(x, y, verbose=0)
    model = unbuilt(keras)
    assert fitguard.check_data(model, x[..., None], y).findings == ()
    model.fit(x[..., None], y, verbose=0)


def test_inner_axes_of_a_sequential_model_are_less_certain():
    model = model_of(table_input(shape=(None, 10, 2)), kind="sequential")
    found = run_data("FG605", facts_of(field(shape=(9, 2)), model=model)).findings[0]
    assert found.confidence == "medium"
    other = run_data("FG605", facts_of(field(shape=(10, 3)), model=model)).findings[0]
    assert other.confidence == "high"


def test_no_samples_have_no_shape():
    assert run_data("FG605", facts_of(field(shape=(), samples=0))).findings == ()
