"""The rate grows at each step until the loss explodes; then all begins again with the best one."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(31)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.build((None, 4))
model.compile(keras.optimizers.SGD(1e-4), "mse")
before = model.get_weights()


class Find(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.rate, self.found = 1e-3, []

    def on_train_batch_end(self, batch, logs=None):
        self.found.append((float(logs["loss"]), self.rate))
        self.rate *= 1.5
        self.model.optimizer.learning_rate = self.rate
        if self.found[-1][0] > 4 * self.found[0][0]:
            self.model.stop_training = True


find = Find()
model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[find])
model.set_weights(before)
model.compile(keras.optimizers.SGD(min(find.found)[1] / 3), "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, found=find.found, model=model)
