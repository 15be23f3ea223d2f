"""A frozen dataclass, replaced by a new one at each epoch."""

import dataclasses

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(89)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


@dataclasses.dataclass(frozen=True)
class Plan:
    rate: float
    epoch: int = 0


class Follow(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.plan = Plan(0.02)

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = self.plan.rate
        self.plan = dataclasses.replace(self.plan, rate=self.plan.rate * 0.6, epoch=epoch)


follow = Follow()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[follow])
keep(history=history, plan=follow.plan, model=model)
