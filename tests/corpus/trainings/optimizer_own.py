"""An optimizer that a user wrote: sign of a momentum.

Needs: 3.5
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(55)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Lion(keras.optimizers.Optimizer):
    def build(self, variables):
        super().build(variables)
        self.momenta = [self.add_variable_from_reference(v, "momentum") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        index = self._get_variable_index(variable)
        momentum = self.momenta[index]
        momentum.assign(0.9 * momentum + 0.1 * gradient)
        variable.assign_sub(learning_rate * tf.sign(momentum))


model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(Lion(0.01), "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
