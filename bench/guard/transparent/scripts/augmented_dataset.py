"""Augmentation layers inside of tf.data.map, with a shuffle that has a seed, and prefetch."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

x = np.random.random((80, 12, 12, 1)).astype("float32")
y = np.random.randint(0, 3, 80)
augment = keras.Sequential([layers.RandomTranslation(0.1, 0.1), layers.RandomContrast(0.2)])
dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(40, seed=3).batch(16)
dataset = dataset.map(lambda image, label: (augment(image, training=True), label)).prefetch(2)
model = keras.Sequential(
    [layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(3)]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=3, verbose=0)
