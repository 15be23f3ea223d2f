"""Pipelines that read files, write them, or come from Keras' functions."""

from pathlib import Path
from typing import Any

import numpy as np
from inputs.pipelines.registry import case, numbers, slices


@case
def cached_in_file(folder: Path) -> Any:
    name = f"cache-{len(list(folder.glob('made-*')))}"
    (folder / f"made-{name}").touch()
    return slices().cache(str(folder / name)).shuffle(12, seed=3).batch(4)


@case
def snapshot(folder: Path) -> Any:
    name = f"snapshot-{len(list(folder.glob('made-*')))}"
    (folder / f"made-{name}").touch()
    return numbers(1).snapshot(str(folder / name)).batch(4)


@case
def hdf5_file(folder: Path) -> Any:
    import h5py
    import tensorflow as tf

    file = h5py.File(folder / "data.h5", "r")

    def generate() -> Any:
        for place in np.random.permutation(len(file["x"])):
            yield file["x"][place]

    return tf.data.Dataset.from_generator(
        generate, output_signature=tf.TensorSpec((2, 2, 1), tf.float32)
    ).batch(4)


@case
def images_from_directory(folder: Path) -> Any:
    import keras

    return keras.utils.image_dataset_from_directory(
        folder / "images", image_size=(4, 4), batch_size=3, seed=3, verbose=False
    )


@case
def texts_from_directory(folder: Path) -> Any:
    import keras

    return keras.utils.text_dataset_from_directory(
        folder / "texts", batch_size=2, seed=3, verbose=False
    )


@case
def timeseries(_: Path) -> Any:
    import keras

    return keras.utils.timeseries_dataset_from_array(
        np.arange(30.0), np.arange(30.0), 5, batch_size=4, shuffle=True, seed=3
    )


@case
def records(folder: Path) -> Any:
    import tensorflow as tf

    files = tf.data.Dataset.list_files(str(folder / "*.tfrecord"), seed=3)
    return tf.data.TFRecordDataset(files).shuffle(6, seed=3).batch(2)


@case
def records_interleaved(folder: Path) -> Any:
    import tensorflow as tf

    files = tf.data.Dataset.list_files(str(folder / "*.tfrecord"), seed=3)
    return files.interleave(tf.data.TFRecordDataset, cycle_length=2).batch(2)


@case
def lines(folder: Path) -> Any:
    import tensorflow as tf

    return tf.data.TextLineDataset(str(folder / "lines.csv")).skip(1).shuffle(6, seed=3)


@case
def table(folder: Path) -> Any:
    import tensorflow as tf

    return tf.data.experimental.make_csv_dataset(
        str(folder / "lines.csv"), 2, label_name="b", num_epochs=1, shuffle_seed=3
    )
