"""Recomputation: the backward pass runs parts again, and the training stays as it was."""

import keras
import numpy as np
import pytest
import tf_keras
from memory.small_models import (
    convolutional,
    count,
    nested,
    recurrent,
    sequential,
    traced,
    training,
)

from fitguard.memory.training import Training
from fitguard.memory.variants import add_recomputation, with_recomputation


@pytest.mark.parametrize("build", [convolutional, nested], ids=["plain", "nested"])
def test_the_backward_pass_computes_again(build):
    given = training(build(keras))
    variant = with_recomputation(given)
    assert variant.reason == ""
    plain, again = (count(traced(one), "Conv2D") for one in (given, variant.training))
    assert plain == 3
    assert again > plain
    assert [weight.shape for weight in variant.training.model.trainable_variables] == [
        weight.shape for weight in given.model.trainable_variables
    ]


def test_a_model_of_text_begins_with_a_part_that_has_no_gradient():
    model = with_recomputation(training(recurrent(keras))).training.model
    assert [layer.name.startswith("recomputed") for layer in model.layers][:2] == [False, False]
    assert len(model.layers) > 2


def test_training_is_the_same_with_dropout_and_normalisation():
    keras.utils.set_random_seed(5)
    plain = training(convolutional(keras)).model
    again = training(add_recomputation(plain)).model
    assert any("recomputed" in layer.name for layer in again.layers)
    images = np.random.default_rng(0).uniform(0, 255, (8, 16, 16, 3)).astype("float32")
    labels = np.arange(8) % 10
    losses = [
        [float(model.train_on_batch(images, labels)[0]) for _ in range(3)]
        for model in (plain, again)
    ]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)
    assert losses[0][0] != losses[0][2]
    moved = [
        np.concatenate([one.numpy().ravel() for one in model.variables if "moving" in one.path])
        for model in (plain, again)
    ]
    np.testing.assert_allclose(moved[0], moved[1], rtol=1e-4, atol=1e-6)


def test_the_weights_come_along_and_nothing_is_shared():
    plain = convolutional(keras)
    twin = add_recomputation(plain)
    images = np.ones((2, 16, 16, 3), "float32")
    np.testing.assert_allclose(plain(images), twin(images), rtol=1e-6)
    assert {id(one) for one in plain.variables}.isdisjoint(id(one) for one in twin.variables)


def test_a_step_of_the_users_is_kept():
    class Own(keras.Model):
        def train_step(self, data):
            return {"own": super().train_step(data)["loss"]}

    inside = convolutional(keras)
    given = training(Own(inside.inputs[0], inside.outputs[0]))
    assert type(with_recomputation(given).training.model) is Own


def _two_inputs():
    first, second = keras.Input((4,)), keras.Input((4,))
    return keras.Model([first, second], keras.layers.Add()([first, second]))


def _one_layer():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(10)])


class _Subclassed(keras.Model):
    def call(self, value):
        return value


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (_two_inputs, "several inputs or outputs"),
        (_one_layer, "no place in the model where a single tensor passes"),
        (_Subclassed, "a class of its own"),
        (lambda: sequential(tf_keras), "of tf_keras 2"),
    ],
    ids=["two inputs", "one layer", "subclassed", "Keras 2"],
)
def test_what_cannot_be_taken_apart(model, reason):
    made = model()
    variant = with_recomputation(Training(model=made, data=(), jit_compile=False))
    assert variant.training is None
    assert reason in variant.reason
    with pytest.raises(ValueError, match=reason):
        add_recomputation(made)


def _kept(given):
    """The scalars of images that are made before the loss and read behind it."""
    operations = traced(given)
    place = {one.name: number for number, one in enumerate(operations)}
    loss = next(place[one.name] for one in operations if "SoftmaxCrossEntropy" in one.type)
    return sum(
        out.shape.num_elements()
        for one in operations[:loss]
        for out in one.outputs
        if out.shape.rank == 4 and any(place[reader.name] > loss for reader in out.consumers())
    )


def test_less_is_kept_between_the_passes():
    given = training(convolutional(keras))
    assert 0 < _kept(with_recomputation(given).training) < 0.6 * _kept(given)
