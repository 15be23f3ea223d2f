"""An old NumPy RandomState in a closure."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(28)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def jitter(state):
    def schedule(epoch):
        return float(state.uniform(0.001, 0.02))

    return schedule


state = np.random.RandomState(4)
history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=6,
    verbose=0,
    callbacks=[keras.callbacks.LearningRateScheduler(jitter(state))],
)
keep(history=history, state=state, model=model)
