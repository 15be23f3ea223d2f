"""How far the weights of two trainings lie apart."""

import numpy as np


def compared(one, other):
    """Bits, and the largest relative distance of a variable: ||a - b|| / ||b||."""
    try:
        a, b = np.load(one), np.load(other)
    except OSError as error:
        return {"missing": str(error)[-80:]}
    if sorted(a.files) != sorted(b.files):
        return {"names": sorted(set(a.files) ^ set(b.files))}
    unlike = [name for name in a.files if a[name].tobytes() != b[name].tobytes()]
    far = {name: _far(a[name], b[name]) for name in unlike}
    worst = sorted(far, key=far.get, reverse=True)
    return {
        "identical": not unlike,
        "unlike": f"{len(unlike)} of {len(a.files)}",
        "far": {name: float(f"{far[name]:.3g}") for name in worst},
        "loss": [a["loss"].tolist()[-1], b["loss"].tolist()[-1]],
    }


def _far(a, b):
    a, b = a.astype("float64"), b.astype("float64")
    return float(np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-30))
