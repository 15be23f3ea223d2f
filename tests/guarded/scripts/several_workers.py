"""One of several workers that train together: with `fit`, and a second model in a loop by hand."""

import argparse
import importlib
import time

import numpy as np
import tensorflow as tf

EPOCHS, BATCH = 3, 16

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--library", default="keras")
parser.add_argument("--validate", action="store_true")
parser.add_argument("--slow", type=float, default=0.0, help="seconds after each step")
parser.add_argument("--stuck", type=int, default=-1, help="the worker that is stuck after 5 steps")
given = parser.parse_args()

keras = importlib.import_module(given.library)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.cluster_resolver.task_id

random = np.random.default_rng(3)
x = random.normal(size=(12 * BATCH, 8)).astype("float32")
y = (x[:, :3].sum(axis=1) > 0).astype("int32")
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).with_options(options)


def make_model():
    """The same one each time."""
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.Input((8,)),
                keras.layers.Dense(16, activation="relu"),
                keras.layers.BatchNormalization(),
                keras.layers.Dense(2),
            ]
        )
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


class Steps(keras.callbacks.Callback):
    """Gives tests time, and one worker a fault."""

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        time.sleep(3600 if (me, batch) == (given.stuck, 5) else given.slow)


def train_by_hand(model):
    """What `fit` does, as the guides of TensorFlow write it."""
    weights, optimizer = model.trainable_variables, model.optimizer

    @tf.function
    def step(batches):
        def on_replica(rows, labels):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels, model(rows, training=True)
                )
                loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

        strategy.run(on_replica, args=next(batches))

    with strategy.scope():
        optimizer.build(weights)
    for _ in range(EPOCHS):
        batches = iter(strategy.experimental_distribute_dataset(dataset))
        for _ in range(len(x) // BATCH):
            step(batches)


fitted, by_hand = make_model(), make_model()
validation = dataset if given.validate else None
history = fitted.fit(
    dataset, epochs=EPOCHS, validation_data=validation, verbose=0, callbacks=[Steps()]
)
train_by_hand(by_hand)
hand = {f"hand_{number}": array for number, array in enumerate(by_hand.get_weights())}
np.savez(given.out, *fitted.get_weights(), **hand, **history.history)
