"""LearningRateScheduler whose function remembers in a closure what it gave."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(28)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def make_schedule():
    given = [0.02]

    def schedule(epoch):
        given.append(given[-1] * 0.7)
        return given[-1]

    return schedule, given


schedule, given = make_schedule()
history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=6,
    verbose=0,
    callbacks=[keras.callbacks.LearningRateScheduler(schedule)],
)
keep(history=history, given=given, model=model)
