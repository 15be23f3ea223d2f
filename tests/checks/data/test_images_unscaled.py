import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_training import losses, only

import fitguard
from fitguard.checks.framework.testing import run_data


def images():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, size=(64, 1))
    x = random.integers(0, 128, size=(64, 16, 16, 1)) + 128 * y[:, :, None, None]
    return x.astype("uint8"), y.astype("float32")


def classifier(*first):
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((16, 16, 1), name="image"),
            *first,
            keras.layers.Flatten(),
            keras.layers.Dense(1, name="bright"),
        ]
    )
    model.compile("sgd", "mse")
    return model


def test_unscaled_pixels_blow_the_loss_up():
    x, y = images()
    found = only(fitguard.check_data(classifier(), x, y), "FG614")
    assert found.severity == "warning"
    assert "x goes unscaled into bright: images (16, 16, 1) of uint8 up to 255" in found.title
    assert found.fix.changes_results
    assert not np.isfinite(losses(classifier(), x, y, epochs=5)[-1])


def test_scaled_twins_learn_in_silence():
    import keras

    x, y = images()
    for model, data in (
        (classifier(), (x / 255).astype("float32")),
        (classifier(keras.layers.Rescaling(1 / 255)), x),
        (classifier(keras.layers.BatchNormalization()), x),
    ):
        assert fitguard.check_data(model, data, y).findings == ()
        assert np.isfinite(losses(model, data, y, epochs=5)).all()


def pixels(shape, high=255.0, low=0.0, dtype="uint8", **given):
    known = {"shape": (None, *shape), "rescaled": False, **given}
    one = field(shape=shape, minimum=low, maximum=high, dtype=dtype)
    return facts_of(one, model=model_of(table_input(**known)))


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((28, 28), "uint8"), ((784,), "uint8"), ((32, 32, 3), "float64"), ((None, None, 3), "uint8")],
)
def test_shapes_of_images(shape, dtype):
    assert len(run_data("FG614", pixels(shape, dtype=dtype)).findings) == 1


@pytest.mark.parametrize(
    "data",
    [
        pixels((28, 28), high=1.0, dtype="float32"),
        pixels((28, 28), low=-120.0, dtype="float32"),
        pixels((28, 28), high=4000.0, dtype="float32"),
        pixels((13,), high=255.0, dtype="float32"),
        pixels((784,), high=255.0, dtype="int32"),
        pixels((100, 7, 2), dtype="float32"),
        pixels((28, 28), rescaled=True),
        pixels((28, 28), rescaled=None),
        pixels((200,), tables=[{"layer": "words", "rows": 256}]),
        pixels((28, 28), high=None, low=None),
    ],
)
def test_what_is_no_unscaled_image(data):
    assert run_data("FG614", data).findings == ()
