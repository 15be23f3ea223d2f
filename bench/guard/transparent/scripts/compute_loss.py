"""compute_loss overridden, a custom metric and a custom loss function."""

import keras
import numpy as np
from keras import ops


class Largest(keras.metrics.Metric):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.largest = self.add_variable((), "zeros", name="largest")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.largest.assign(ops.maximum(self.largest, ops.max(ops.abs(y_true - y_pred))))

    def result(self):
        return self.largest


class Penalized(keras.Model):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        return loss + 0.01 * ops.mean(ops.square(y_pred))


inputs = keras.Input((5,))
model = Penalized(inputs, keras.layers.Dense(1)(keras.layers.Dense(7, "relu")(inputs)))
model.compile("adagrad", lambda t, p: ops.mean(ops.abs(t - p) ** 1.5, -1), metrics=[Largest()])
x = np.random.normal(size=(130, 5)).astype("float32")
model.fit(x, x[:, :1], epochs=3, validation_split=0.1, validation_freq=2, verbose=0)
