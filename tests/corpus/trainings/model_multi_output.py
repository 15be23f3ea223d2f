"""Two outputs with names, losses and metrics of their own."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(44)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

inputs = keras.Input((4,))
hidden = layers.Dense(8, "relu")(inputs)
outputs = {
    "value": layers.Dense(1, name="value")(hidden),
    "sign": layers.Dense(1, "sigmoid", name="sign")(hidden),
}
model = keras.Model(inputs, outputs)
losses = {"value": "mse", "sign": "binary_crossentropy"}
model.compile("adam", losses, metrics={"value": ["mae"], "sign": ["accuracy"]})
target = {"value": y, "sign": (y > 0).astype("float32")}
stop = keras.callbacks.EarlyStopping("val_sign_accuracy", mode="max", patience=2)
history = model.fit(
    x, target, validation_split=0.25, batch_size=6, epochs=6, verbose=0, callbacks=[stop]
)
keep(history=history, stopped=stop.stopped_epoch, model=model)
