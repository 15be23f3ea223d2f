"""The last line of each training: writes down all that can be compared of what it did."""

import collections
import dataclasses
import enum
import hashlib
import io
import json
import random
import sys
import zipfile
from pathlib import Path

import h5py
import keras
import numpy as np
import tensorflow as tf

_MOST_SHOWN = 4


def keep(**things):
    """Write models, histories, objects, and the files under the working directory.

    Into `kept.json` of the folder that the script was given as its argument.
    """
    told = {name: told_of(thing, []) for name, thing in things.items()}
    told["files"] = {
        str(path): told_of_file(path.name, path.read_bytes())
        for path in sorted(Path().rglob("*"))
        if path.is_file() and "tfevents" not in path.name
    }
    told["scalars"] = told_of_events(sorted(map(str, Path().rglob("*tfevents*"))))
    text = json.dumps(told, indent=1)
    Path(sys.argv[1], "kept.json").write_text(text)


def told_of(thing, above):
    """Something of JSON that is the same for two things only if they are the same."""
    if any(thing is one for one in above):
        return "(see above)"
    above = [*above, thing]
    if thing is None or isinstance(thing, bool | int | str):
        return thing if not isinstance(thing, enum.Enum) else str(thing)
    if isinstance(thing, float):
        return repr(thing)
    if isinstance(thing, np.ndarray | np.generic | tf.Tensor | tf.Variable):
        return told_of_array(np.asarray(thing))
    for kind, told in _KINDS.items():
        if isinstance(thing, kind):
            return told(thing, above)
    if hasattr(thing, "numpy"):
        return told_of_array(np.asarray(thing))
    if dataclasses.is_dataclass(thing) or type(thing).__module__ == "__main__":
        return told_of_object(thing, above)
    return repr(thing)


def told_of_array(array):
    """Its first numbers, for the eye, and a digest of all."""
    digest = hashlib.sha256(array.tobytes()).hexdigest()[:16]
    return f"{array.dtype}{list(array.shape)} {array.ravel()[:_MOST_SHOWN].tolist()} {digest}"


def told_of_object(thing, above):
    """Attributes, those of slots too; what a callback or a layer has from Keras is left out."""
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    names = [*getattr(thing, "__dict__", ()), *slots]
    bases = (keras.callbacks.Callback, keras.layers.Layer)
    own = [name for name in names if not isinstance(thing, bases) or not name.startswith("_")]
    skipped = ("model", "params", "validation_data")
    values = {n: getattr(thing, n) for n in own if n not in skipped and hasattr(thing, n)}
    return {"is": type(thing).__name__, **told_of_mapping(values, above)}


def told_of_mapping(thing, above):
    """In its order."""
    return {str(key): told_of(value, above) for key, value in thing.items()}


def told_of_list(thing, above):
    return [told_of(one, above) for one in thing]


def told_of_set(thing, above):
    return sorted(repr(told_of(one, above)) for one in thing)


def told_of_model(model, above):
    """Weights, what is trained of them, and the optimizer."""
    optimizer = getattr(model, "optimizer", None)
    return {
        "weights": [told_of(one, []) for one in model.get_weights()],
        "trainable": [layer.trainable for layer in model.layers],
        "optimizer": told_of(optimizer, above) if optimizer is not None else None,
    }


def told_of_optimizer(optimizer, _above):
    """Its variables, and the learning rate of now."""
    variables = optimizer.variables
    return {
        "variables": [told_of(one, []) for one in variables],
        "learning rate": float(np.asarray(optimizer.learning_rate))
        if not callable(optimizer.learning_rate)
        else "schedule",
    }


def told_of_history(history, above):
    return {"epochs": history.epoch, **told_of_mapping(history.history, above)}


def told_of_random(thing, _above):
    return hashlib.sha256(repr(thing.getstate()).encode()).hexdigest()[:16]


def told_of_generator(thing, above):
    return told_of(thing.bit_generator.state, above)


def told_of_random_state(thing, above):
    return told_of(thing.get_state(), above)


_KINDS = {
    keras.Model: told_of_model,
    keras.optimizers.Optimizer: told_of_optimizer,
    keras.callbacks.History: told_of_history,
    tf.random.Generator: lambda thing, above: told_of(thing.state, above),
    random.Random: told_of_random,
    np.random.Generator: told_of_generator,
    np.random.RandomState: told_of_random_state,
    dict: told_of_mapping,
    list | tuple | collections.deque: told_of_list,
    set | frozenset: told_of_set,
}


def told_of_file(name, content):
    """A digest, without what Keras and HDF5 write of dates and of addresses in memory."""
    if name.endswith(".h5"):
        return told_of_h5(content)
    if name.endswith(".keras"):
        members = zipfile.ZipFile(io.BytesIO(content))
        names = sorted(name for name in members.namelist() if not name.endswith(".json"))
        return {one: told_of_file(one, members.read(one)) for one in names}
    if name.endswith(".npz"):
        arrays = np.load(io.BytesIO(content))
        return {one: told_of_array(arrays[one]) for one in arrays.files}
    if len(content) < 400 and name.endswith((".txt", ".csv", ".json", ".log")):
        return content.decode(errors="replace").splitlines()
    return f"{len(content)} bytes {hashlib.sha256(content).hexdigest()[:16]}"


def told_of_h5(content):
    told = {}

    def look(name, item):
        if isinstance(item, h5py.Dataset):
            told[name] = told_of_array(np.asarray(item))

    with h5py.File(io.BytesIO(content)) as file:
        file.visititems(look)
    return told


def told_of_events(paths):
    """All scalars that TensorBoard would show, however many files they are in."""
    told = {}
    for path in paths:
        for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
            event = tf.compat.v1.Event.FromString(record)
            for value in event.summary.value:
                if value.metadata.plugin_data.plugin_name == "scalars":
                    place = f"{Path(path).parent} {value.tag} {event.step}"
                    told[place] = told_of_array(tf.make_ndarray(value.tensor))
    return dict(sorted(told.items()))
