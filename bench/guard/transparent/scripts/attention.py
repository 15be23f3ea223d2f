"""A transformer block with a causal mask, written as a layer."""

import keras
import numpy as np
from keras import layers


class Block(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.attention = layers.MultiHeadAttention(2, width // 2, dropout=0.1)
        self.wide = layers.Dense(2 * width, activation="gelu")
        self.narrow = layers.Dense(width)
        self.norms = [layers.LayerNormalization() for _ in range(2)]

    def call(self, x):
        x = self.norms[0](x + self.attention(x, x, use_causal_mask=True))
        return self.norms[1](x + self.narrow(self.wide(x)))


tokens = np.random.randint(0, 30, (128, 11))
model = keras.Sequential([layers.Embedding(30, 16), Block(16), Block(16), layers.Dense(30)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.AdamW(1e-3, clipnorm=1.0), loss, metrics=["accuracy"])
model.fit(tokens[:, :-1], tokens[:, 1:], epochs=2, batch_size=16, verbose=0)
