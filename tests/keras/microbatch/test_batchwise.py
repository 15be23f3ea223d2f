"""What sees several rows at once is named; what cannot be split is refused."""

from typing import Any

import pytest


def compiled(*layers: Any, loss: Any = "mse") -> Any:
    import keras

    model = keras.Sequential([keras.Input((4, 6)), *layers, keras.layers.Dense(1)])
    model.compile("sgd", loss)
    return model


def test_batch_normalisation_is_named_unless_it_is_frozen():
    import keras

    from fitguard.keras.microbatch import describe_batchwise

    layer = keras.layers.BatchNormalization(name="norm")
    model = compiled(layer)
    (sentence,) = describe_batchwise(model)
    assert sentence.startswith("BatchNormalization norm normalizes")
    layer.trainable = False
    assert describe_batchwise(model) == []


def test_layers_that_keep_rows_apart_are_not_named():
    import keras

    from fitguard.keras.microbatch import describe_batchwise, describe_unsupported

    layers = keras.layers
    model = compiled(
        layers.LayerNormalization(), layers.UnitNormalization(), layers.Dropout(0.5), layers.LSTM(3)
    )
    assert describe_batchwise(model) == []
    assert describe_unsupported(model) == ""


@pytest.mark.parametrize("loss", ["Dice", "Tversky", "Circle"])
def test_losses_over_the_batch_are_named(loss):
    import keras

    from fitguard.keras.microbatch import describe_batchwise

    (sentence,) = describe_batchwise(compiled(loss=getattr(keras.losses, loss)()))
    assert sentence.startswith(f"The loss {loss} ")


def test_dice_of_each_row_is_not_named():
    import keras

    from fitguard.keras.microbatch import describe_batchwise

    assert describe_batchwise(compiled(loss=keras.losses.Dice(axis=(1, 2)))) == []


def test_strategy_with_one_replica_works(table):
    import keras
    import numpy as np
    import tensorflow as tf

    from fitguard.keras.microbatch import MicroTrainStep, describe_unsupported

    def make() -> Any:
        keras.utils.set_random_seed(1)
        layers = [keras.layers.BatchNormalization(trainable=False), keras.layers.Dropout(0.3)]
        model = keras.Sequential([keras.Input((6,)), *layers, keras.layers.Dense(1)])
        model.compile("adam", "mse")
        return model

    whole = make()
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        micro = make()
    assert describe_unsupported(micro) == ""
    step = MicroTrainStep(micro)
    for _ in range(2):
        whole.train_on_batch(*table)
        step(table, 4)
    for a, b in zip(whole.get_weights(), micro.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)
