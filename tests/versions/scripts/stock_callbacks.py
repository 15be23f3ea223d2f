"""The callbacks that Keras brings, in one training: `stock_callbacks.py OUT [MARK]`.

The labels are noise, so the validation gets worse, and most of the callbacks have work to do.
"""

import importlib.util
import sys
from pathlib import Path

import kinds
import numpy as np
from dying import DieOnce
from library import keras

out, *mark = sys.argv[1:]
here = Path(out).parent
# In Keras 2.13 and 2.14, ModelCheckpoint itself fails to write the newer format.
best = str(here / ("best.keras" if hasattr(keras, "ops") else "best.h5"))
keras.utils.set_random_seed(5)
model, arguments = kinds.arrays()
arguments["y"] = np.random.default_rng(5).integers(0, 2, 480).astype("float32")
callbacks = [
    keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True),
    keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=1),
    keras.callbacks.LearningRateScheduler(lambda epoch, rate: float(rate) * (0.9 if epoch else 1)),
    keras.callbacks.ModelCheckpoint(best, save_best_only=True),
    keras.callbacks.CSVLogger(str(here / "epochs.csv")),
    keras.callbacks.BackupAndRestore(str(here / "backup")),
    *(DieOnce(path) for path in mark),
]
if importlib.util.find_spec("tensorboard"):
    callbacks.append(keras.callbacks.TensorBoard(str(here / "board")))
history = model.fit(**arguments, epochs=7, verbose=0, callbacks=callbacks).history
checkpoint = keras.models.load_model(best)
results = {f"weight {i}": value for i, value in enumerate(model.get_weights())}
results |= {f"checkpoint {i}": value for i, value in enumerate(checkpoint.get_weights())}
np.savez(out, **results, **history, table=(here / "epochs.csv").read_text().splitlines())
