"""A second set of weights, averaged by a callback into a clone of the model."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(96)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.build((None, 4))
average = keras.models.clone_model(model)
average.build((None, 4))
average.set_weights(model.get_weights())


class Average(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        for slow, fast in zip(average.weights, self.model.weights):
            slow.assign(0.9 * slow + 0.1 * fast)


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Average()])
keep(history=history, average=average, model=model)
