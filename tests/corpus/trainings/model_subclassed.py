"""A subclassed model with layers in lists and dicts."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(30)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [layers.Dense(8, "relu") for _ in range(2)]
        self.heads = {"main": layers.Dense(1)}
        self.drop = layers.Dropout(0.2)

    def call(self, inputs, training=False):
        for block in self.blocks:
            inputs = self.drop(block(inputs), training=training)
        return self.heads["main"](inputs)


model = Net()
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, validation_split=0.25)
keep(history=history, model=model)
