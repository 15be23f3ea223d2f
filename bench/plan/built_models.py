"""The models of the measured rows by set and name."""

import math

import keras
import models_given
import models_seen
import models_unseen

LOSS = "sparse_categorical_crossentropy"
SETS = {
    "given": models_given.BUILDERS,
    "seen": models_seen.BUILDERS,
    "unseen": models_unseen.BUILDERS,
}


def built_model(kind: str, name: str) -> keras.Model:
    """A fresh model, not compiled, under the dtype policy that is set."""
    return SETS[kind][name]()


def output_elements(model: keras.Model) -> int:
    """Numbers that all layers put out for one sample, as `model.summary()` shows their shapes."""
    tensors = [tensor for layer in model.layers for tensor in keras.tree.flatten(layer.output)]
    return sum(math.prod(tensor.shape[1:]) for tensor in tensors)
