"""Makes public examples run without a network, in seconds: small random data, few steps."""

import functools
import os
import sys

import numpy as np
import transparent_stubs

ROWS = int(os.environ["TRANSPARENT_ROWS"])
MOST_ROWS = 192
EPOCHS = 2
STEPS = 6
IMAGES = {
    "mnist": ((28, 28), 10),
    "fashion_mnist": ((28, 28), 10),
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
}
TEXTS = {"imdb": (20000, 2), "reuters": (20000, 46)}


def arrange(package):
    """Put it into a Keras that was just loaded."""
    for name, (shape, classes) in IMAGES.items():
        getattr(package.datasets, name).load_data = functools.partial(images, name, shape, classes)
    for name, (words, classes) in TEXTS.items():
        getattr(package.datasets, name).load_data = functools.partial(texts, words, classes)
    package.utils.get_file = no_file
    for name in ("plot_model", "array_to_img", "save_img"):
        setattr(package.utils, name, lambda *_args, **_kwargs: transparent_stubs.Nothing())
    package.Model.fit = short(package.Model.fit)
    for name in ("evaluate", "predict"):
        setattr(package.Model, name, few(getattr(package.Model, name)))


def images(name, shape, classes, **_options):
    """As `load_data` gives them."""
    random = np.random.default_rng(len(name))
    labels = (ROWS, 1) if name.startswith("cifar") else (ROWS,)

    def part():
        pixels = random.integers(0, 256, (ROWS, *shape)).astype("uint8")
        return pixels, random.integers(0, classes, labels).astype("uint8")

    return part(), part()


def texts(words, classes, num_words=None, **_options):
    """Numbers of words, in lists of any length."""
    random = np.random.default_rng(words)

    def part():
        rows = [
            random.integers(1, num_words or words, random.integers(5, 120)).tolist()
            for _ in range(ROWS)
        ]
        return np.array(rows, dtype=object), random.integers(0, classes, ROWS)

    return part(), part()


def no_file(*_args, **_kwargs):
    """There is no network."""
    raise SystemExit("offline: get_file was called")


def short(original):
    """At most a few epochs, of a few steps where the data are a dataset."""

    @functools.wraps(original)
    def fit(self, x=None, *args, **kwargs):
        kwargs["epochs"] = min(kwargs.get("epochs", 1), EPOCHS + kwargs.get("initial_epoch", 0))
        kwargs["verbose"] = 2
        if kwargs.get("steps_per_epoch"):
            kwargs["steps_per_epoch"] = min(kwargs["steps_per_epoch"], STEPS)
        for name in ("y", "validation_data", "sample_weight"):
            if kwargs.get(name) is not None:
                kwargs[name] = little(kwargs[name])
        return original(self, little(x), *map(little, args), **kwargs)

    return fit


def few(original):
    """The same for `evaluate` and `predict`."""

    @functools.wraps(original)
    def looked(self, x=None, *args, **kwargs):
        if kwargs.get("y") is not None:
            kwargs["y"] = little(kwargs["y"])
        return original(self, little(x), *map(little, args), **kwargs)

    return looked


def little(data):
    """The first batches of a dataset, the first rows of arrays; anything else as it is."""
    if isinstance(data, sys.modules["tensorflow"].data.Dataset):
        return data.take(STEPS)
    if isinstance(data, np.ndarray):
        return data[:MOST_ROWS]
    if isinstance(data, tuple | list) and all(isinstance(one, np.ndarray) for one in data):
        return type(data)(one[:MOST_ROWS] for one in data)
    return data
