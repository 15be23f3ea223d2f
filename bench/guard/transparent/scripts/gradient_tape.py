"""A loop of the user's own: fitguard says that it guards nothing."""

import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam()


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - x[:, :1]) ** 2)
    optimizer.apply(tape.gradient(loss, model.trainable_weights), model.trainable_weights)


for _ in range(12):
    step(tf.constant(np.random.normal(size=(16, 4)).astype("float32")))
