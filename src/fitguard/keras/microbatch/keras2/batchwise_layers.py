"""Layers of tf_keras that see several rows at once, or draw other numbers for other rows."""

from typing import Any

from tf_keras.src.engine.base_layer import BaseRandomLayer
from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase


def layers_that_see_the_batch(model: Any) -> list[str]:
    """A sentence for each."""
    layers = list(model._flatten_layers())
    return [
        *(
            f"{type(layer).__name__} {layer.name} normalises with the mean and variance of the rows"
            " that it gets: with micro-batches these are the rows of a micro-batch. Its moving"
            " statistics still move once a step."
            for layer in layers
            if isinstance(layer, BatchNormalizationBase) and layer.trainable
        ),
        *(
            f"{type(layer).__name__} {layer.name} of tf_keras draws other random numbers for"
            " micro-batches than for the whole batch."
            for layer in layers
            if isinstance(layer, BaseRandomLayer) and _draws(layer)
        ),
    ]


def _draws(layer: Any) -> bool:
    """Whether a random layer has anything to draw: recurrent layers often have a rate of 0."""
    rates = [getattr(layer, name, None) for name in ("rate", "dropout", "recurrent_dropout")]
    known = [rate for rate in rates if isinstance(rate, int | float)]
    return not known or any(known)
