"""Pipelines that run Python, or do what cannot be undone."""

import random
from pathlib import Path
from typing import Any

import numpy as np
from inputs.pipelines.registry import X, case, numbers, refused


@case
def from_generator(_: Path) -> Any:
    import tensorflow as tf

    def generate() -> Any:
        for place in np.random.permutation(len(X)):
            yield X[place], random.random()

    signature = (tf.TensorSpec((2, 2, 1), tf.float32), tf.TensorSpec((), tf.float32))
    return tf.data.Dataset.from_generator(generate, output_signature=signature).batch(4)


@case
def generator_with_its_own_rng(_: Path) -> Any:
    import tensorflow as tf

    rng = np.random.default_rng(3)
    order = np.arange(12)
    seen: list[int] = []

    def generate() -> Any:
        rng.shuffle(order)
        for place in order:
            seen.append(int(place))
            yield np.int64(place * 100 + len(seen))

    return tf.data.Dataset.from_generator(
        generate, output_signature=tf.TensorSpec((), tf.int64)
    ).shuffle(4, seed=2)


@case
def ragged_from_generator(_: Path) -> Any:
    import tensorflow as tf

    rng = np.random.default_rng(3)

    def generate() -> Any:
        for length in (2, 1, 3):
            yield tf.ragged.constant([[int(rng.integers(99))] * length], dtype=tf.int64)

    return tf.data.Dataset.from_generator(
        generate, output_signature=tf.RaggedTensorSpec((1, None), tf.int64)
    )


class Countdown:
    """An iterator whose whole state is in its attributes."""

    def __init__(self) -> None:
        self.left = 20

    def __iter__(self) -> "Countdown":
        return self

    def __next__(self) -> int:
        self.left -= 1
        if self.left % 5 == 0:
            raise StopIteration
        return self.left


@case
def iterator_of_the_user(_: Path) -> Any:
    import tensorflow as tf

    countdown = Countdown()
    return tf.data.Dataset.from_generator(
        lambda: countdown, output_signature=tf.TensorSpec((), tf.int32)
    )


class Feed:
    """Counts its epochs, and draws from generators of its own."""

    calls = 0

    def __init__(self) -> None:
        self.epoch = 0
        self.rng = random.Random(4)
        self.old = np.random.RandomState(5)

    def __call__(self) -> Any:
        self.epoch += 1
        Feed.calls += 1
        for _ in range(4):
            yield self.rng.random() + self.old.rand() + self.epoch + Feed.calls

    def augment(self, value: Any) -> Any:
        self.epoch += 1
        return np.float32(value + self.rng.random() + self.epoch)


@case
def generator_object(_: Path) -> Any:
    import tensorflow as tf

    Feed.calls = 0
    return tf.data.Dataset.from_generator(
        Feed(), output_signature=tf.TensorSpec((), tf.float32)
    ).batch(2)


@case
def numpy_function(_: Path) -> Any:
    import tensorflow as tf

    feed = Feed()
    return (
        numbers()
        .map(lambda n: tf.cast(n, tf.float32))
        .map(lambda v: tf.numpy_function(feed.augment, [v], tf.float32))
    )


def jitter(value: Any) -> Any:
    return value + np.float32(np.random.rand())


@case
def py_function(_: Path) -> Any:
    import tensorflow as tf

    return numbers().map(lambda n: tf.py_function(jitter, [tf.cast(n, tf.float32)], tf.float32))


@refused
def one_shot_generator(_: Path) -> Any:
    import tensorflow as tf

    once = (n for n in range(4))
    return tf.data.Dataset.from_generator(
        lambda: once, output_signature=tf.TensorSpec((), tf.int32)
    )


@refused
def eager_random_in_python(_: Path) -> Any:
    import tensorflow as tf

    def draw(value: Any) -> Any:
        return value + tf.random.uniform([], seed=3)

    return numbers().map(lambda n: tf.py_function(draw, [tf.cast(n, tf.float32)], tf.float32))


@refused
def writes_files(folder: Path) -> Any:
    import tensorflow as tf

    def write(n: Any) -> Any:
        with tf.control_dependencies([tf.io.write_file(str(folder / "written"), "x")]):
            return tf.identity(n)

    return numbers().map(write)


@refused
def prints(_: Path) -> Any:
    import tensorflow as tf

    def show(n: Any) -> Any:
        tf.print(n)
        return n

    return numbers().map(show)


@refused
def reads_another_dataset(_: Path) -> Any:
    import tensorflow as tf

    inner = numbers().shuffle(12, seed=3)

    def generate() -> Any:
        yield from inner.as_numpy_iterator()

    return tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((), tf.int64))
