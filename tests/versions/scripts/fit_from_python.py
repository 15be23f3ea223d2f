"""`fitguard.fit` in a plain Python process: `fit_from_python.py OUT`."""

import sys
from pathlib import Path

import kinds
import numpy as np
from library import keras

import fitguard

out = Path(sys.argv[1])
keras.utils.set_random_seed(1)
model, arguments = kinds.arrays()
history = fitguard.fit(model, **arguments, epochs=3, verbose=0, runs_folder=out.parent / "runs")
results = {f"arrays {key}": values for key, values in history.history.items()}
results |= {f"arrays weight {i}": value for i, value in enumerate(model.get_weights())}
np.savez(out, **results)
