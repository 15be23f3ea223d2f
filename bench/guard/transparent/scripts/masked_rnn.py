"""An LSTM and a GRU behind a masking embedding, with dropout in the recurrence."""

import keras
import numpy as np
from keras import layers

words = np.random.randint(0, 40, (160, 12))
labels = (words.sum(axis=1) % 2).astype("float32")
model = keras.Sequential(
    [
        layers.Embedding(40, 8, mask_zero=True),
        layers.Bidirectional(layers.LSTM(6, return_sequences=True, recurrent_dropout=0.2)),
        layers.GRU(5, dropout=0.1),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(words, labels, epochs=2, batch_size=32, verbose=0)
