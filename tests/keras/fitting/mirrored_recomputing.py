"""Trains two replicas plainly and recomputed; started as a process of its own.

Only a process that has done nothing else yet can make several devices of its CPU.

    python mirrored_recomputing.py LIBRARY
"""

import importlib
import json
import sys

import numpy as np
import tensorflow as tf

import fitguard.keras
from fitguard.keras.fitting import recomputed_step
from fitguard.keras.fitting.recomputed_step import RecomputedStep, describe_not_recomputable
from fitguard.keras.microbatch import MicroTrainStep
from fitguard.keras.state.model_state import ModelState

REPLICAS, ROWS, SIDE = 2, 10, 16


def make_model(keras, strategy):
    keras.utils.set_random_seed(7)
    layers = keras.layers
    with strategy.scope():
        given = value = keras.Input((SIDE, SIDE, 3))
        for number in range(5):
            new = layers.Conv2D(8, 3, padding="same")(value)
            new = layers.ReLU()(layers.BatchNormalization()(new))
            new = layers.Dropout(0.2)(new)
            value = layers.Add()([value, new]) if number else new
        value = layers.GlobalAveragePooling2D()(value)
        model = keras.Model(given, layers.Dense(4, activation="softmax")(value))
        compile_model(keras, model)
    return model


def compile_model(keras, model, **more):
    optimizer = keras.optimizers.SGD(0.05, momentum=0.9)
    loss = "sparse_categorical_crossentropy"
    model.compile(optimizer, loss, metrics=["accuracy"], **{"jit_compile": False, **more})


def make_data():
    """A whole batch, and one of which the last replica has a row less."""
    random = np.random.default_rng(0)
    rows = REPLICAS * ROWS * 2 - 1
    x = random.normal(size=(rows, SIDE, SIDE, 3)).astype("float32")
    y = random.integers(0, 4, rows).astype("int32")
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(REPLICAS * ROWS)


def train(model):
    history = model.fit(make_data(), epochs=2, verbose=0).history
    return history, ModelState(model).read()


def train_in_parts(model, strategy, share):
    """One step in parts, which are recomputed where there is a share."""
    step = MicroTrainStep(model, share=share)
    step(next(iter(strategy.experimental_distribute_dataset(make_data()))), rows=ROWS - 1)
    return ModelState(model).read(), step.way


def train_in_a_loop(keras, strategy, wrap):
    """A step of one's own, which gets what replicas have and gives what they have found."""
    model = make_model(keras, strategy)
    with strategy.scope():
        model.optimizer.build(model.trainable_variables)

    def take(x, y):
        with tf.GradientTape() as tape:
            found = model(x, training=True)
            losses = keras.losses.sparse_categorical_crossentropy(y, found)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step = wrap(tf.function(lambda batch: strategy.run(take, args=batch)))
    found = [step(batch) for batch in strategy.experimental_distribute_dataset(make_data())]
    losses = [float(one) for each in found for one in strategy.experimental_local_results(each)]
    return {"losses": np.array(losses), **ModelState(model).read()}, step


def differ(one, other):
    assert one.keys() == other.keys()
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


def keep_steps():
    """The recomputed steps that are made from now on."""
    made = []

    class Kept(RecomputedStep):
        def __init__(self, *arguments, **more):
            made.append(self)
            super().__init__(*arguments, **more)

    recomputed_step.RecomputedStep = Kept
    return made


def main(library):
    keras = importlib.import_module(library)
    if library == "tf_keras":  # otherwise Dropout hides what it draws from
        keras.backend.experimental.enable_tf_random_generator()
    (cpu,) = tf.config.list_physical_devices("CPU")
    devices = [tf.config.LogicalDeviceConfiguration()] * REPLICAS
    tf.config.set_logical_device_configuration(cpu, devices)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(REPLICAS)])
    whole = make_model(keras, strategy)
    history, values = train(whole)
    made = keep_steps()
    model = make_model(keras, strategy)
    again, found = train(fitguard.keras.recompute(model, 0.5))
    (step,) = made
    copies = {copy.name for edit in step.way.edits for copy in edit.copies}
    plain, _ = train_in_parts(whole, strategy, None)
    parts, way = train_in_parts(model, strategy, 0.6)
    loop, _ = train_in_a_loop(keras, strategy, lambda step: step)
    other, own = train_in_a_loop(keras, strategy, lambda step: fitguard.keras.recompute(step, 0.5))
    compile_model(keras, model, jit_compile=True)
    result = {
        "own_values": sum("@1" in name for name in values),
        "values": differ(values, found),
        "history": max(float(np.abs(np.subtract(history[one], again[one])).max()) for one in again),
        "share": step.way.share,
        "copies": [len(copies), sum("replica_1" in name for name in copies)],
        "parts": differ(plain, parts),
        "part_share": way.share,
        "loop": differ(loop, other),
        "loop_share": own.way.share,
        "compiled": describe_not_recomputable(model),
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
