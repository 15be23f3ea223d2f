"""TextVectorization in a pipeline, then an embedding and convolutions in one dimension."""

import random

import keras
import numpy as np
import tensorflow as tf
from keras import layers

words = ["the", "guard", "keeps", "training", "alive", "when", "memory", "runs", "out"]
texts = np.array([" ".join(random.choices(words, k=random.randint(3, 9))) for _ in range(90)])
labels = np.array(["guard" in text for text in texts], "float32")
vectors = layers.TextVectorization(max_tokens=20, output_sequence_length=8)
vectors.adapt(texts)
data = tf.data.Dataset.from_tensor_slices((texts, labels)).shuffle(90).batch(10)
data = data.map(lambda text, label: (vectors(text), label), num_parallel_calls=2)
model = keras.Sequential(
    [
        layers.Embedding(20, 6),
        layers.Conv1D(6, 3, activation="relu"),
        layers.GlobalMaxPooling1D(),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(data, epochs=3, verbose=0)
