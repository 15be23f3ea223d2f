"""How far weights are from others."""

import numpy as np


def norm(arrays):
    return float(np.sqrt(sum(float(np.sum(np.square(one, dtype="float64"))) for one in arrays)))


def off(one, other):
    return norm([first - second for first, second in zip(one, other, strict=True)])
