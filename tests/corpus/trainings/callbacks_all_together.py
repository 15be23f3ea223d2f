"""Seven callbacks of Keras in one fit.

Uses: tensorboard
"""

from pathlib import Path

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(83)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.3), "mse", metrics=["mae"])
stop = keras.callbacks.EarlyStopping(
    "val_loss", min_delta=0.01, patience=3, restore_best_weights=True
)
plateau = keras.callbacks.ReduceLROnPlateau("val_mae", factor=0.5, patience=1)
callbacks = [
    stop,
    plateau,
    keras.callbacks.ModelCheckpoint("best.weights.h5", save_best_only=True, save_weights_only=True),
    keras.callbacks.CSVLogger("log.csv"),
    keras.callbacks.TensorBoard("logs"),
    keras.callbacks.TerminateOnNaN(),
    keras.callbacks.LambdaCallback(on_train_end=lambda logs: Path("done.txt").write_text("done")),
]
history = model.fit(
    x, y, batch_size=8, epochs=9, verbose=0, validation_split=0.25, callbacks=callbacks
)
keep(history=history, stopped=stop.stopped_epoch, wait=plateau.wait, model=model)
