"""A schedule of the user's own: warm-up, then the root of the step."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(47)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, steps):
        self.peak, self.steps = peak, steps

    def __call__(self, step):
        step = tf.cast(step, tf.float32) + 1.0
        return self.peak * tf.minimum(step / self.steps, tf.sqrt(self.steps / step))


model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(WarmUp(0.05, 7.0)), "mse")
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0)
keep(history=history, model=model)
