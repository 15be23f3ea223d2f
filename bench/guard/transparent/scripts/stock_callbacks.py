"""Stock callbacks together: what they write, stop and restore."""

import keras
import numpy as np

x = np.random.normal(size=(160, 6)).astype("float32")
y = x[:, :1] + 0.3 * np.random.normal(size=(160, 1))
model = keras.Sequential([keras.layers.Dense(24, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.2), "mse", metrics=["mae"])
callbacks = [
    keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
    keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5),
    keras.callbacks.ModelCheckpoint("best.weights.h5", save_best_only=True, save_weights_only=True),
    keras.callbacks.CSVLogger("log.csv"),
    keras.callbacks.TerminateOnNaN(),
    keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch)),
]
model.fit(x, y, epochs=15, validation_split=0.3, callbacks=callbacks, verbose=2)
