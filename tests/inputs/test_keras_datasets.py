"""Data in the shapes of `keras.datasets`, as their users feed it, passes without a word."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import fitguard

RNG = np.random.default_rng(0)
layers = keras.layers


def images(shape):
    """Bright in the middle, black at the border, as handwritten digits are."""
    made = RNG.integers(0, 256, shape, dtype="uint8")
    made[:, :2] = 0
    return made


def skewed(classes, samples, ratio):
    """Labels of very different frequency, every class at least once."""
    shares = np.geomspace(ratio, 1, classes)
    drawn = RNG.choice(classes, samples - classes, p=shares / shares.sum())
    return RNG.permutation(np.concatenate([np.arange(classes), drawn]))


def classifier(shape, *hidden, classes=10, loss="sparse_categorical_crossentropy"):
    model = keras.Sequential(
        [layers.Input(shape), *hidden, layers.Dense(classes, activation="softmax")]
    )
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def dense():
    return layers.Flatten(), layers.Dense(8, activation="relu")


def convolution():
    return layers.Conv2D(4, 3, activation="relu"), layers.GlobalAveragePooling2D()


def mnist_rescaled_in_the_model():
    x, y = images((6000, 28, 28)), RNG.integers(0, 10, 6000, dtype="uint8")
    return classifier((28, 28), layers.Rescaling(1 / 255), *dense()), x, y


def mnist_divided():
    x, y = images((6000, 28, 28)) / 255.0, RNG.integers(0, 10, 6000, dtype="uint8")
    return classifier((28, 28), *dense()), x, y


def mnist_flat_and_categorical():
    x = images((6000, 28, 28)).reshape(-1, 784).astype("float32") / 255
    y = keras.utils.to_categorical(RNG.integers(0, 10, 6000), 10)
    return classifier((784,), *dense(), loss="categorical_crossentropy"), x, y


def fashion_mnist_with_a_channel():
    x, y = images((6000, 28, 28))[..., None].astype("float32") / 255, RNG.integers(0, 10, 6000)
    return classifier((28, 28, 1), *convolution()), x, y


def cifar10():
    x, y = images((2000, 32, 32, 3)), RNG.integers(0, 10, (2000, 1), dtype="uint8")
    return classifier((32, 32, 3), layers.Rescaling(1 / 255), *convolution()), x, y


def cifar100():
    x, y = images((2000, 32, 32, 3)) / 255.0, RNG.integers(0, 100, (2000, 1), dtype="int64")
    return classifier((32, 32, 3), *convolution(), classes=100), x, y


def imdb():
    x = RNG.integers(1, 20000, (2000, 200), dtype="int32")
    x[:, :50] = 0  # pad_sequences pads in front
    model = keras.Sequential(
        [
            layers.Input((200,)),
            layers.Embedding(20000, 8),
            layers.Bidirectional(layers.LSTM(4)),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model, x, RNG.integers(0, 2, 2000)


def reuters_multi_hot():
    x = (RNG.random((1000, 10000)) < 0.01).astype("float32")
    return classifier((10000,), *dense(), classes=46), x, skewed(46, 1000, 300)


def boston_housing():
    x, y = RNG.gamma(2, 50, (404, 13)), RNG.gamma(9, 2.5, 404)
    model = keras.Sequential(
        [layers.Input((13,)), layers.Normalization(), layers.Dense(8, "relu"), layers.Dense(1)]
    )
    model.compile("rmsprop", "mse", metrics=["mae"])
    return model, x, y


def california_housing():
    x, y = RNG.gamma(2, 500, (4000, 8)).astype("float32"), RNG.gamma(9, 2e4, 4000).astype("float32")
    model = keras.Sequential(
        [layers.Input((8,)), layers.BatchNormalization(), layers.Dense(8, "relu"), layers.Dense(1)]
    )
    model.compile("adam", keras.losses.MeanSquaredError())
    return model, x, y


ALL = [
    mnist_rescaled_in_the_model, mnist_divided, mnist_flat_and_categorical,
    fashion_mnist_with_a_channel, cifar10, cifar100, imdb, reuters_multi_hot, boston_housing,
    california_housing,
]  # fmt: skip


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_arrays(make):
    model, x, y = make()
    report = fitguard.check_data(model, x, y, validation_split=0.1)
    assert report.findings == ()
    assert report.facts.sources[0].complete
    assert [skipped for skipped in report.skipped if skipped.broken] == []


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_datasets(make):
    model, x, y = make()
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).batch(32)
    report = fitguard.check_data(model, data.prefetch(tf.data.AUTOTUNE))
    assert report.findings == ()
    assert [skipped for skipped in report.skipped if skipped.broken] == []
