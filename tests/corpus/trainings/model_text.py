"""Words to numbers in tf.data, an Embedding with a mask, and a GRU."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(18)
words = ["red", "green", "blue", "old", "new"]
texts = [" ".join(np.random.choice(words, np.random.randint(1, 6))) for _ in range(48)]
labels = np.array([[float("red" in text)] for text in texts], "float32")
vectorize = layers.TextVectorization(max_tokens=10, output_sequence_length=5)
vectorize.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(8))
dataset = tf.data.Dataset.from_tensor_slices((texts, labels)).shuffle(48, seed=2).batch(8)
dataset = dataset.map(lambda text, label: (vectorize(text), label))
model = keras.Sequential(
    [layers.Embedding(10, 4, mask_zero=True), layers.GRU(4), layers.Dense(1, "sigmoid")]
)
model.compile("adam", "binary_crossentropy")
history = model.fit(dataset, epochs=4, verbose=0)
keep(history=history, model=model)
