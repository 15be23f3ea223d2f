"""How far the weights of two trainings are apart: `demo_compare.py ONE.npz OTHER.npz`."""

import sys

import numpy as np


def weights(path: str) -> np.ndarray:
    """All of a file in one row."""
    with np.load(path) as saved:
        return np.concatenate([saved[name].ravel() for name in saved.files]).astype("float64")


one, other = map(weights, sys.argv[1:3])
apart = np.linalg.norm(one - other) / np.linalg.norm(one)
print(f"{one.size} weights; the difference is {apart:.1e} of their norm: rounding of float32.")
print("Another number of threads makes as much of a difference in plain Keras.")
