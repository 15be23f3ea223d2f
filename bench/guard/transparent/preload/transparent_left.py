"""What training has left in this process: each array as a checksum."""

import functools
import gc
import hashlib
import json
import os
import random
import sys

FITS = []
"""The model and the history of each `fit`, in the order of their ends."""


def watch(package):
    """Remember each model that is trained, and what its `fit` returned."""
    original = package.Model.fit

    @functools.wraps(original)
    def fit(self, *args, **kwargs):
        history = None
        try:
            history = original(self, *args, **kwargs)
            return history
        finally:
            FITS.append((self, history))

    package.Model.fit = fit


def write(path):
    """Leave a file with the checksums; a process that forked from the script's leaves none."""
    if os.path.exists(path):
        return
    report = {"generators": generators(), "fits": [trained(*one) for one in FITS]}
    report["models"] = sorted(json.dumps(variables(one)) for one in others())
    report["draws"] = draws()
    with open(path, "w") as file:
        json.dump(report, file)


def trained(model, history):
    """One fit."""
    found = variables(model)
    if history is not None:
        found["history"] = [["epoch", checksum(history.epoch)]]
        found["history"] += [[name, repr(values)] for name, values in history.history.items()]
    return found


def variables(model):
    """Checksums of all variables of a model, by what they are for."""
    optimizers = {id(one): one for one in optimizers_of(model)}.values()
    metrics = model.metrics
    return {
        "weights": checksums(model.weights),
        "other variables": checksums(model.variables),
        "optimizer": [row for one in optimizers for row in checksums(listed(one))],
        "metrics": [row for one in metrics for row in checksums(listed(one))],
    }


def optimizers_of(model):
    """Its own, and those that the script put there (a GAN has two)."""
    for value in [getattr(model, "optimizer", None), *vars(model).values()]:
        if value is not None and "Optimizer" in {one.__name__ for one in type(value).__mro__}:
            yield value


def listed(holder):
    """Variables, which some optimizers of Keras 2 give by a method."""
    found = holder.variables
    return found() if callable(found) else found


def others():
    """Models that are alive and were trained without `fit`, if they were trained at all."""
    known = {id(model) for model, _ in FITS}
    classes = tuple(
        sys.modules[name].Model for name in ("keras", "tf_keras") if name in sys.modules
    )
    for one in gc.get_objects():
        if issubclass(type(one), classes) and id(one) not in known:
            yield one


def checksums(found):
    """Name and checksum of each variable."""
    return [[getattr(one, "path", one.name), checksum(one)] for one in found]


def checksum(value):
    """Of the bytes, the shape and the type of an array."""
    import numpy

    array = numpy.asarray(value.numpy() if hasattr(value, "numpy") else value)
    whole = f"{array.dtype}{array.shape}".encode() + array.tobytes()
    return hashlib.sha256(whole).hexdigest()[:16]


def generators():
    """The states of Python's and NumPy's."""
    import numpy

    name, keys, *rest = numpy.random.get_state()
    return [
        ["random", hashlib.sha256(repr(random.getstate()).encode()).hexdigest()[:16]],
        ["numpy.random", f"{name} {checksum(keys)} {rest}"],
    ]


def draws():
    """What TensorFlow and Keras would draw next: their generators have no public state."""
    found = []
    if "keras" in sys.modules:
        found.append(["keras.random", checksum(sys.modules["keras"].random.uniform((4,)))])
    if "tensorflow" in sys.modules and os.environ.get("TRANSPARENT_TENSORFLOW_SEED"):
        found.append(["tf.random", checksum(sys.modules["tensorflow"].random.uniform((4,)))])
    return found
