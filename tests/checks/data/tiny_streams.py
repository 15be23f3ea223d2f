"""Tiny streams of real data, and how many steps a training makes of them."""

from collections.abc import Iterator
from typing import Any

from checks.data.tiny_training import BATCH, table


def generator(batches: int = 4) -> Iterator[tuple[Any, Any]]:
    """Batches of a table and its labels, once."""
    x, y = table()
    for number in range(batches):
        part = slice(number * BATCH, (number + 1) * BATCH)
        yield x[part], y[part]


def dataset(batch_size: int | None = BATCH, **batching: Any) -> Any:
    """The same as a `tf.data.Dataset`; with None, of single samples."""
    import tensorflow as tf

    samples = tf.data.Dataset.from_tensor_slices(table())
    return (samples.batch(batch_size, **batching) if batch_size else samples).prefetch(1)


def steps(model: Any, *data: Any, **fitting: Any) -> list[int]:
    """Train, and give the number of steps of each epoch."""
    import keras

    made: list[int] = []

    class Counting(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
            made.append(0)

        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            made[-1] += 1

    model.fit(*data, verbose=0, callbacks=[Counting()], **fitting)
    return made
