"""Trains models of `kinds`, one after the other: `train.py OUT KIND[,KIND] [MARKS]`.

With a folder for marks, each training kills its own process once.
"""

import sys
from pathlib import Path

import kinds
import numpy as np
from dying import DieOnce
from library import keras

out, names, *marks = sys.argv[1:]
results = {}
for name in names.split(","):
    keras.utils.set_random_seed(1)
    model, arguments = getattr(kinds, name)()
    callbacks = [DieOnce(Path(marks[0], name))] if marks else []
    history = model.fit(**arguments, epochs=3, verbose=0, callbacks=callbacks)
    results |= {f"{name} {key}": values for key, values in history.history.items()}
    results |= {f"{name} weight {i}": value for i, value in enumerate(model.get_weights())}
np.savez(out, **results)
