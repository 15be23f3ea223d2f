"""A chain of convolutions, with a BatchNormalization behind each, and a batch for it."""

import keras
import numpy as np
from keras import layers

CLASSES = 10
STAGES = 4
"""The first block of each but the first halves the sides and doubles the filters."""


def make_chain(side: int, blocks: int, filters: int) -> keras.Model:
    """A compiled model with its optimizer built: the same weights each time."""
    keras.utils.set_random_seed(1)
    x = images = keras.Input((side, side, 3))
    stage = max(blocks // STAGES, 1)
    for block in range(blocks):
        halves = block > 0 and block % stage == 0 and block // stage < STAGES
        filters *= 2 if halves else 1
        x = layers.Conv2D(filters, 3, strides=2 if halves else 1, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.GlobalAveragePooling2D()(x)
    model = keras.Model(images, layers.Dense(CLASSES, activation="softmax")(x))
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    model.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=False)
    optimizer.build(model.trainable_variables)
    return model


def draw_images(side: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels."""
    random = np.random.default_rng(0)
    images = random.normal(size=(rows, side, side, 3)).astype(keras.config.floatx())
    return images, random.integers(0, CLASSES, rows).astype("int32")
