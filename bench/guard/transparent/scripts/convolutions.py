"""Convolutions, batch normalization and augmentation layers in the model."""

import keras
import numpy as np
from keras import layers

x = np.random.randint(0, 256, (96, 16, 16, 3)).astype("uint8")
y = np.random.randint(0, 5, 96)
model = keras.Sequential(
    [
        layers.Rescaling(1 / 255),
        layers.RandomFlip("horizontal"),
        layers.RandomRotation(0.1),
        layers.RandomZoom(0.1),
        layers.Conv2D(8, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.SpatialDropout2D(0.2),
        layers.SeparableConv2D(8, 3, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(5, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=3, batch_size=16, validation_split=0.25, verbose=0)
