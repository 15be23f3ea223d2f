"""Tiny models and data, on which labels that do not fit show what they do."""

from typing import Any

import numpy as np

SAMPLES = 96


def clusters(classes: int = 3) -> tuple[Any, Any]:
    """Points in four dimensions around one corner for each class, easy to tell apart."""
    rng = np.random.default_rng(0)
    y = np.arange(SAMPLES) % classes
    x = 4 * np.eye(4)[y] + rng.normal(scale=0.3, size=(SAMPLES, 4))
    return x.astype("float32"), y


def line() -> tuple[Any, Any]:
    """Points, and a quantity that depends on them in a straight line."""
    x = np.random.default_rng(0).normal(size=(SAMPLES, 4)).astype("float32")
    return x, (2 * x[:, 0] + 1).astype("float32")


def dense(
    units: int,
    activation: str | None,
    loss: Any,
    *,
    keras: Any = None,
    rate: float = 0.1,
    steps: int | None = None,
    metrics: Any = None,
) -> Any:
    """One Dense layer named `out` on four numbers, or on each step of a sequence of them."""
    if keras is None:
        import keras
    keras.utils.set_random_seed(0)
    shape = (4,) if steps is None else (steps, 4)
    layers = [keras.layers.Input(shape), keras.layers.Dense(units, activation, name="out")]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(rate), loss, metrics=metrics)
    return model


def fitted(model: Any, x: Any, y: Any, *, rounds: int = 1, **more: Any) -> list[float]:
    """Train over the data so many times: the mean loss of the first and the second half."""
    if rounds == 1:
        return list(model.fit(x, y, verbose=0, **more).history["loss"])
    # Many rounds in an epoch: Keras spends more on the begin and end of one than on these steps.
    x, y = (np.concatenate([part] * (rounds // 2)) for part in (x, y))
    return list(model.fit(x, y, epochs=2, verbose=0, **more).history["loss"])


def two_outputs(losses: Any) -> Any:
    """A model with a softmax `kind` over three classes and a number `size`."""
    import keras

    inputs = keras.Input((4,))
    kind = keras.layers.Dense(3, activation="softmax", name="kind")(inputs)
    model = keras.Model(inputs, [kind, keras.layers.Dense(1, name="size")(inputs)])
    model.compile("adam", losses)
    return model


def codes(*arguments: Any, **more: Any) -> list[str]:
    """The codes of all that `fitguard.check_data` finds."""
    return [finding.code for finding in checked(*arguments, **more)]


def checked(*arguments: Any, **more: Any) -> Any:
    """The findings of `fitguard.check_data`."""
    import fitguard

    return fitguard.check_data(*arguments, **more).findings
