"""What trainings saved, side by side."""

import numpy as np


def saved(path):
    """Weights and History of a script, by name."""
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def difference(one, other):
    """The first name under which two results differ by a bit; empty where none does."""
    first, second = saved(one), saved(other)
    if list(first) != list(second):
        return f"{list(first)} against {list(second)}"
    for name, array in first.items():
        same = array.dtype == second[name].dtype and array.shape == second[name].shape
        if not same or array.tobytes() != second[name].tobytes():
            return f"{name}: {array.ravel()[:3]} against {second[name].ravel()[:3]}"
    return ""


def distance(one, other):
    """The norm of the difference of all weights, as a part of the norm of the first.

    Not by weight: the bias of a layer starts from 0 and may be the sum of gradients that cancel
    out. One thread instead of two then moves it by a part in 10,000 of itself, in plain Keras too.
    """
    first, second = _weights(one), _weights(other)
    return float(np.linalg.norm(first - second) / np.linalg.norm(first))


def _weights(path):
    arrays = (array for name, array in saved(path).items() if name.startswith("arr_"))
    return np.concatenate([array.ravel().astype("float64") for array in arrays])
