"""Pipelines of TensorFlow's and Keras' own stages."""

from pathlib import Path
from typing import Any

from inputs.pipelines.registry import X, Y, case, lengths, numbers, slices


@case
def plain(_: Path) -> Any:
    return slices().batch(4)


@case
def usual(_: Path) -> Any:
    return slices().cache().shuffle(12, seed=3).batch(5).prefetch(-1)


@case
def shuffled_with_the_global_seed(_: Path) -> Any:
    # Without a global seed chance decides; a seed of its own makes it the same at each build.
    import tensorflow as tf
    from tensorflow.python.eager import context

    seed = None if context.global_seed() is not None else 5
    return tf.data.Dataset.range(12).shuffle(12, seed=seed).batch(4)


@case
def shuffled_once(_: Path) -> Any:
    return slices().shuffle(12, seed=3, reshuffle_each_iteration=False).batch(4)


@case
def shuffled_twice(_: Path) -> Any:
    return slices().shuffle(12, seed=3).batch(2).shuffle(6, seed=4).repeat(2)


@case
def repeated_finite(_: Path) -> Any:
    return slices().shuffle(12, seed=1).repeat(3).batch(5)


@case
def cached_random(_: Path) -> Any:
    import tensorflow as tf

    return numbers().map(lambda _: tf.random.uniform([], seed=4)).cache().shuffle(12, seed=3)


@case
def cached_generator(_: Path) -> Any:
    import tensorflow as tf

    generator = tf.random.Generator.from_seed(3)
    return numbers().map(lambda _: generator.uniform([2])).cache()


@case
def random_operations(_: Path) -> Any:
    import tensorflow as tf

    return slices().map(lambda x, y: (tf.image.random_brightness(x, 0.3, seed=2), y)).batch(3)


@case
def stateless_random(_: Path) -> Any:
    import tensorflow as tf

    return numbers().map(
        lambda n: tf.random.stateless_uniform([2], tf.stack([n, n])), num_parallel_calls=-1
    )


@case
def random_generator(_: Path) -> Any:
    import tensorflow as tf

    generator = tf.random.Generator.from_seed(11)
    return numbers().map(lambda _: generator.normal([3])).batch(2)


@case
def keras_layers(_: Path) -> Any:
    import keras

    flip = keras.layers.RandomFlip(seed=3)
    rotate = keras.layers.RandomRotation(0.2, seed=4)
    return slices().batch(3).map(lambda x, y: (rotate(flip(x, training=True), training=True), y))


@case
def keras_random(_: Path) -> Any:
    import keras

    seeds = keras.random.SeedGenerator(5)
    return slices().batch(3).map(lambda x, y: (x + keras.random.uniform((2, 2, 1), seed=seeds), y))


@case
def tf_keras_layer(_: Path) -> Any:
    import tf_keras

    zoom = tf_keras.layers.RandomZoom(0.2, seed=3)
    return slices().batch(3).map(lambda x, y: (zoom(x, training=True), y))


@case
def keras_lookup(_: Path) -> Any:
    import keras
    import tensorflow as tf

    lookup = keras.layers.StringLookup(vocabulary=["0", "1", "2"])
    return slices().map(lambda x, y: (x, lookup(tf.strings.as_string(y)))).batch(4)


@case
def counting_variable(_: Path) -> Any:
    import tensorflow as tf

    count = tf.Variable(0, dtype=tf.int64)
    return numbers().map(lambda n: n + count.assign_add(1))


@case
def filtered(_: Path) -> Any:
    return numbers().shuffle(12, seed=3).filter(lambda n: n % 2 == 0).take(4).skip(1)


@case
def filtered_and_repeated(_: Path) -> Any:
    return numbers().filter(lambda n: n % 3 == 0).shuffle(4, seed=2).repeat(2).batch(3)


@case
def sharded(_: Path) -> Any:
    return numbers().shuffle(12, seed=3).shard(2, 1)


@case
def unbatched(_: Path) -> Any:
    return slices().batch(3).unbatch().shuffle(12, seed=3).batch(4, num_parallel_calls=2)


@case
def zipped(_: Path) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.zip((numbers().shuffle(9, seed=1), slices().shuffle(9, seed=2))).batch(4)


@case
def concatenated(_: Path) -> Any:
    return numbers(4).shuffle(4, seed=2).concatenate(numbers(3).cache())


@case
def enumerated(_: Path) -> Any:
    return slices().shuffle(12, seed=3).enumerate().batch(4)


@case
def windows(_: Path) -> Any:
    return numbers().shuffle(12, seed=3).window(3, shift=2).flat_map(lambda w: w.batch(3))


@case
def interleaved(_: Path) -> Any:
    import tensorflow as tf

    return (
        numbers(3)
        .shuffle(3, seed=3)
        .interleave(lambda n: tf.data.Dataset.range(n, n + 4).shuffle(4, seed=1), cycle_length=2)
    )


@case
def interleaved_in_parallel(_: Path) -> Any:
    import tensorflow as tf

    return numbers(3).interleave(
        lambda n: tf.data.Dataset.range(n, n + 4), num_parallel_calls=2, deterministic=True
    )


@case
def captured_dataset(_: Path) -> Any:
    inner = numbers(5).shuffle(5, seed=1).cache()
    other = numbers(5).shuffle(5, seed=2)
    return numbers(2).flat_map(lambda _: inner.concatenate(other))


@case
def padded(_: Path) -> Any:
    return lengths().shuffle(12, seed=3).padded_batch(4)


@case
def ragged(_: Path) -> Any:
    return lengths().shuffle(12, seed=3).ragged_batch(5)


@case
def sparse(_: Path) -> Any:
    return lengths().shuffle(12, seed=3).sparse_batch(4, [4])


@case
def bucketed(_: Path) -> Any:
    import tensorflow as tf

    return (
        lengths()
        .shuffle(12, seed=3)
        .bucket_by_sequence_length(lambda v: tf.size(v), [2, 4], [2, 3, 2])
    )


@case
def chosen(_: Path) -> Any:
    import tensorflow as tf

    choice = numbers().map(lambda n: n % 2).shuffle(4, seed=3)
    return tf.data.Dataset.choose_from_datasets([numbers(6).shuffle(6, seed=1), numbers(6)], choice)


@case
def sampled(_: Path) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.sample_from_datasets(
        [numbers(6).shuffle(6, seed=1), numbers(6)],
        weights=[0.3, 0.7],
        seed=4,
        rerandomize_each_iteration=True,
    )


@case
def resampled(_: Path) -> Any:
    import tensorflow as tf

    return slices().rejection_resample(
        lambda _, y: tf.cast(y, tf.int32), [0.4, 0.3, 0.3], [0.34, 0.33, 0.33], seed=3
    )


@case
def random_source(_: Path) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.random(seed=3, rerandomize_each_iteration=True).take(5)


@case
def scanned(_: Path) -> Any:
    import tensorflow as tf

    start = tf.constant(0, tf.int64)
    return (
        numbers()
        .shuffle(12, seed=3)
        .scan(start, lambda s, n: (s + n, s))
        .take_while(lambda s: s < 40)
    )


@case
def unique(_: Path) -> Any:
    return numbers().map(lambda n: n % 4).shuffle(12, seed=3).unique()


@case
def with_options(_: Path) -> Any:
    import tensorflow as tf

    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    return numbers().shuffle(12, seed=3).with_options(options).batch(5).ignore_errors()


@case
def dictionaries(_: Path) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.from_tensor_slices(({"a": X, "b": Y}, Y)).shuffle(12, seed=3).batch(4)
