"""A model that gets the variables of another goes on as the other does, bit for bit."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot, write_snapshot
from fitguard.keras.state.model_state import ModelState

X = np.random.default_rng(1).normal(size=(12, 4)).astype("f4")
Y = X.sum(1, keepdims=True)


def library(name: str) -> Any:
    import keras
    import tf_keras

    return {"keras": keras, "tf_keras": tf_keras}[name]


def exact(keras: Any) -> dict[str, str]:
    """For layers that draw: tf_keras hides the state in a kernel, unless it is told otherwise."""
    return {"rng_type": "stateful"} if keras.__name__.startswith("tf_keras") else {}


def functional(keras: Any) -> Any:
    layers = keras.layers
    inputs = keras.Input((4,))
    x = layers.BatchNormalization()(layers.Dense(5)(inputs))
    drop = layers.Dropout(0.5, **exact(keras))
    inner = keras.Sequential([keras.Input((5,)), layers.Dense(5, "relu"), drop])
    model = keras.Model(inputs, layers.Dense(1)(inner(x)))
    model.compile(keras.optimizers.Adam(0.1), "mse", metrics=["mae"], weighted_metrics=["mse"])
    return model


def mixed(keras: Any) -> Any:
    layers = keras.layers
    policy = "mixed_float16"
    model = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(5, dtype=policy),
            layers.LayerNormalization(dtype=policy),
            layers.GaussianNoise(0.1, **exact(keras)),
            layers.Dense(1, dtype="float32"),
        ]
    )
    scale = getattr(keras.mixed_precision, "LossScaleOptimizer", None)
    model.compile((scale or keras.optimizers.LossScaleOptimizer)(keras.optimizers.Adam()), "mse")
    return model


def averaged(keras: Any) -> Any:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5)
    optimizer = keras.optimizers.SGD(schedule, momentum=0.9, use_ema=True, ema_momentum=0.5)
    model.compile(optimizer, "mse")
    return model


def subclassed(keras: Any) -> Any:
    import tensorflow as tf

    class Noisy(keras.Model):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.parts = {"b": keras.layers.Dense(3), "a": [keras.layers.Dense(1)]}
            self.calls = tf.Variable(0, dtype=tf.int64, trainable=False)
            self.flag = tf.Variable(False, trainable=False)
            self.small = tf.Variable([1.0, 2.0], dtype=tf.bfloat16, trainable=False)
            self.random = tf.random.Generator.from_seed(3)

        def call(self, x: Any, training: bool = False) -> Any:
            x = self.parts["a"][0](self.parts["b"](x))
            if training:
                self.calls.assign_add(1)
                self.flag.assign(tf.logical_not(self.flag))
                self.small.assign(self.small * tf.cast(1.5, tf.bfloat16))
                x += self.random.normal(tf.shape(x))
            return x

    model = Noisy()
    model.compile(keras.optimizers.RMSprop(), "mse", run_eagerly=False)
    return model


def adversarial(keras: Any) -> Any:
    import tensorflow as tf

    class Gan(keras.Model):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.generator = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
            self.critic = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
            self.g_optimizer = keras.optimizers.Adam(0.1)
            self.d_optimizer = keras.optimizers.Adam(0.2)
            self.g_loss = keras.metrics.Mean(name="g")

        def call(self, x: Any) -> Any:
            return self.critic(self.generator(x))

        def train_step(self, data: Any) -> dict[str, Any]:
            x, y = data
            for net, optimizer, sign in (
                (self.critic, self.d_optimizer, 1.0),
                (self.generator, self.g_optimizer, -1.0),
            ):
                with tf.GradientTape() as tape:
                    fake, real = self.critic(self.generator(x)), self.critic(y)
                    loss = sign * tf.reduce_mean(tf.nn.softplus(fake) - tf.nn.softplus(real))
                gradients = tape.gradient(loss, net.trainable_variables)
                optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
            self.g_loss.update_state(loss)
            return {"g": self.g_loss.result()}

    model = Gan()
    model.compile()
    return model


CASES: list[Callable[[Any], Any]] = [functional, mixed, averaged, subclassed, adversarial]


def train(model: Any, seed: int, steps: int = 2) -> None:
    """Steps that do not reset metrics between them."""
    order = np.random.default_rng(seed).permutation(12)[: 6 * steps]
    model.fit(X[order], Y[order], batch_size=6, shuffle=False, verbose=0)


def bits(model: Any) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in ModelState(model).read().items()}


@pytest.mark.parametrize("keras", ["keras", "tf_keras"])
@pytest.mark.parametrize("case", CASES)
def test_the_other_model_goes_on_the_same(
    case: Callable[[Any], Any], keras: str, tmp_path: Path
) -> None:
    first, second = case(library(keras)), case(library(keras))
    train(first, 1)
    check_complete(first)
    train(second, 2, steps=1)
    write_snapshot(tmp_path / "s", Content({}, ModelState(first).read()))
    arrays = read_snapshot(tmp_path / "s").arrays
    before = bits(first)
    assert bits(second) != before

    state = ModelState(second)
    assert state.missing(arrays) == []
    assert state.misfit(arrays) == ""
    state.write(arrays)

    assert bits(second) == before
    train(first, 3)
    train(second, 3)
    after = bits(first)
    assert bits(second) == after
    assert after != before
    # Training must not have changed the memory of the snapshot.
    assert {name: array.tobytes() for name, array in arrays.items()} == before


def check_complete(model: Any) -> None:
    """Each variable that Keras knows of is there, and each once."""
    ids = [id(variable) for variable in ModelState(model).variables().values()]
    assert len(set(ids)) == len(ids)
    known = [*model.variables, *(v for metric in model.metrics for v in metric.variables)]
    for name in ("optimizer", "g_optimizer", "d_optimizer"):
        if (optimizer := getattr(model, name, None)) is not None:
            variables = optimizer.variables
            known.extend(variables() if callable(variables) else variables)
    assert {id(getattr(v, "_value", getattr(v, "_variable", v))) for v in known} <= set(ids)


def test_what_is_made_late_is_missing_first() -> None:
    keras = library("tf_keras")
    first, second = functional(keras), functional(keras)
    train(first, 1)
    arrays = ModelState(first).read()

    missing = ModelState(second).missing(arrays)

    assert any("optimizer" in name for name in missing)
    assert not any(name.startswith("_self_tracked_trackables") for name in missing)
    ModelState(second).write(arrays)
    weights = zip(first.get_weights(), second.get_weights(), strict=True)
    assert all((a == b).all() for a, b in weights)


def test_a_different_model_is_told() -> None:
    keras = library("keras")
    arrays = ModelState(functional(keras)).read()
    name = next(name for name, array in arrays.items() if array.shape == (4, 5))
    arrays[name] = arrays[name].astype("f8")

    assert name in ModelState(functional(keras)).misfit(arrays)
    assert "float64" in ModelState(functional(keras)).misfit(arrays)
    arrays[name] = np.zeros((4, 6), "f4")
    assert "(4, 6)" in ModelState(functional(keras)).misfit(arrays)


def test_what_fitguard_hangs_on_a_model_is_not_the_models() -> None:
    import tensorflow as tf

    model = functional(library("keras"))
    before = list(ModelState(model).variables())
    model.train_function = Content({"own": tf.Variable(1.0)}, {})

    assert list(ModelState(model).variables()) == before


def test_others_are_left_alone() -> None:
    model = functional(library("keras"))
    before = ModelState(model).read()
    name, other = list(before)[:2]

    ModelState(model).write({name: before[name] + 1})

    after = ModelState(model).read()
    assert (after[name] == before[name] + 1).all()
    assert (after[other] == before[other]).all()


def test_values_are_copies() -> None:
    model = functional(library("keras"))
    values = ModelState(model).read()
    kept = {name: value.copy() for name, value in values.items()}
    train(model, 1)

    assert all((values[name] == kept[name]).all() for name in kept)
    assert ModelState(model).size_bytes() >= sum(value.nbytes for value in values.values())


def test_whether_it_was_told_to_stop() -> None:
    model = functional(library("keras"))
    train(model, 1)
    model.stop_training = True
    extra = ModelState(model).extra()
    model.stop_training = False
    ModelState(model).write_extra(extra)

    assert model.stop_training is True


def test_objects_of_a_loop_of_the_users_own() -> None:
    import tensorflow as tf

    keras = library("keras")
    optimizer, step = keras.optimizers.Adam(), tf.Variable(5)
    tracker, history = keras.metrics.Sum(), keras.callbacks.History()
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    optimizer.build(model.trainable_variables)
    history.set_model(model)
    own = {"tracker": tracker, "optimizer": optimizer, "step": step, "_tracked": history}
    names = list(ModelState({**own, "model": model}).variables())

    heads = [name.split(".")[0] for name in names]
    counts = {head: heads.count(head) for head in heads}
    assert counts == {"model": 2, "optimizer": 6, "step": 1, "tracker": 1}


MIRRORED = """
import numpy as np, tensorflow as tf
cpus = [tf.config.LogicalDeviceConfiguration() for _ in range(2)]
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], cpus)
import keras
from fitguard.keras.state.model_state import ModelState

X = np.random.default_rng(1).normal(size=(8, 4)).astype("f4")

def made(keras, devices=("CPU:0", "CPU:1")):
    with tf.distribute.MirroredStrategy(list(devices)).scope():
        layers = keras.layers
        model = keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.BatchNormalization()])
        model.compile(keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    return model

def fit(model, x):
    model.fit(x, x[:, :3], batch_size=4, shuffle=False, verbose=0)

def replicas(model):
    found = ModelState(model).variables().values()
    return [one.numpy().tobytes() for v in found for one in getattr(v, "values", [v])]

first, second = made(keras), made(keras)
fit(first, X)
fit(second, X + 1)
arrays = ModelState(first).read()
state = ModelState(second)
assert not state.missing(arrays) and not state.misfit(arrays)
assert replicas(first) != replicas(second)
state.write(arrays)
assert replicas(first) == replicas(second)
print(*{type(variable).__name__ for variable in state.variables().values()})
print(*(name for name in arrays if "@1" in name))

from fitguard.keras.fitting.recording import TrainingState
from fitguard.schema.run import Place

third = made(keras)
fit(third, X + 2)
saving, restoring = TrainingState(first, []), TrainingState(third, [])
saving.step_is_made(), restoring.step_is_made()
content = saving.read(Place(fit=1))
restoring.write_then(content)
assert restoring.write(content) == []
assert replicas(first) == replicas(third)

alone = made(keras, ["CPU:0"])
fit(alone, X)
assert TrainingState(alone, []).write(content)[0].startswith("the snapshot was taken with 2 repl")

def parts(variable):
    return [one.numpy().tolist() for one in variable.value.values]

(total,) = parts(alone._loss_tracker.variables[0])
assert total == np.sum(parts(first._loss_tracker.variables[0]), dtype="f4")
(mean,) = parts(alone.layers[1].moving_mean)
assert mean == parts(first.layers[1].moving_mean)[0]

again = made(keras)
fit(again, X + 3)
ModelState(again).write(ModelState(alone).read())
assert parts(again.layers[1].moving_mean) == [mean, mean]
assert parts(again._loss_tracker.variables[0]) == [total, 0]
"""


def test_every_replica_of_a_strategy() -> None:
    """Statistics of batches differ from replica to replica, as metrics do; weights do not."""
    ended = subprocess.run(
        [sys.executable, "-c", MIRRORED], capture_output=True, text=True, timeout=300, check=False
    )

    assert ended.returncode == 0, ended.stderr[-2000:]
    kinds, apart = ended.stdout.splitlines()
    assert set(kinds.split()) == {"MirroredVariable", "SyncOnReadVariable"}
    assert "optimizer" not in apart
    assert "._trainable_variables" not in apart
    assert apart.count("._non_trainable_variables") == 2
