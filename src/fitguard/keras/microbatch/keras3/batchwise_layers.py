"""Layers and losses of Keras 3 that see several rows at once."""

from typing import Any

from keras.src import layers, losses, tree


def layers_that_see_the_batch(model: Any) -> list[str]:
    """A sentence for each."""
    return [*_normalisations(model), *_mixtures(model), *_losses(model)]


def _normalisations(model: Any) -> list[str]:
    return [
        f"{type(layer).__name__} {layer.name} normalises with the mean and variance of the rows"
        " that it gets: with micro-batches these are the rows of a micro-batch. Its moving"
        " statistics still move once a step."
        for layer in model._flatten_layers()
        if isinstance(layer, layers.BatchNormalization) and layer.trainable
    ]


def _mixtures(model: Any) -> list[str]:
    return [
        f"{type(layer).__name__} {layer.name} mixes rows of the batch with each other: with"
        " micro-batches it mixes those of a micro-batch."
        for layer in model._flatten_layers()
        if isinstance(layer, layers.MixUp | layers.CutMix)
    ]


def _losses(model: Any) -> list[str]:
    given = model._compile_loss._user_loss if model._compile_loss is not None else None
    return [
        f"The loss {type(loss).__name__} compares rows of the batch with each other, or sums over"
        " them before it divides: with micro-batches it sees those of a micro-batch."
        for loss in tree.flatten(given)
        if isinstance(loss, losses.Circle)
        or (isinstance(loss, losses.Dice | losses.Tversky) and not _keeps_rows(loss))
        or loss in ("circle", "dice", "tversky", losses.circle, losses.dice, losses.tversky)
    ]


def _keeps_rows(loss: Any) -> bool:
    axis = loss.axis
    return axis is not None and 0 not in (axis if isinstance(axis, list | tuple) else [axis])
