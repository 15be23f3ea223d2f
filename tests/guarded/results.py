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


def distances(one, other):
    """By weight: the norm of the difference, as a part of the norm of the first."""
    first, second = saved(one), saved(other)
    return {
        name: float(np.linalg.norm(array - second[name]) / np.linalg.norm(array))
        for name, array in first.items()
        if name.startswith("arr_")
    }
