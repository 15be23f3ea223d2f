"""The classic question: 10,000 images of 100 x 100 x 3, a small CNN, and a batch of 2048.

python examples/classic.py weights.npz
"""

import sys

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(7)
random = np.random.default_rng(7)
labels = random.integers(0, 2, 10_000)
images = random.integers(0, 100, (10_000, 100, 100, 3), dtype=np.uint8)
images[labels == 1, 20:60, 20:60] += 100

model = keras.Sequential(
    [
        keras.Input((100, 100, 3)),
        layers.Rescaling(1 / 255),
        layers.Conv2D(8, 3, strides=2, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(1, activation="sigmoid"),
    ]
)
optimizer = keras.optimizers.SGD(0.05, momentum=0.9)
model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
model.fit(images, labels, batch_size=2048, epochs=2)

np.savez(sys.argv[1], *model.get_weights())
