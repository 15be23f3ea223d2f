"""zip, interleave, window, padded batches, and sample weights in the elements."""

import keras
import numpy as np
import tensorflow as tf

files = tf.data.Dataset.range(4).shuffle(4)
numbers = files.interleave(
    lambda file: tf.data.Dataset.range(file * 30, file * 30 + 30).shuffle(10), cycle_length=2
)
texts = numbers.map(lambda n: (tf.range(1, 2 + n % 7), tf.cast(n % 2, tf.float32)))
padded = texts.padded_batch(8)
weights = tf.data.Dataset.from_tensor_slices(np.random.random((15, 8)).astype("float32"))
data = tf.data.Dataset.zip((padded, weights)).map(lambda pair, weight: (*pair, weight))
model = keras.Sequential(
    [
        keras.layers.Embedding(10, 4, mask_zero=True),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", weighted_metrics=["accuracy"])
model.fit(data, epochs=3, verbose=0)
