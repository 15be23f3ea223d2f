"""As little as a training can be: `one_step.py OUT`."""

import sys

import keras
import numpy as np

keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.ones((8, 8)), np.ones((8, 1)), batch_size=8, verbose=0)
np.savez(sys.argv[1], *model.get_weights())
