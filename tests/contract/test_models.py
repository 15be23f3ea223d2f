"""What the contract reads of models, of both libraries alike."""

import keras
import pytest
import tf_keras

from fitguard.contract import optimizers
from fitguard.contract.compiling import compile_arguments, is_compiled, loss_arguments
from fitguard.contract.held_variables import is_counted, unwrap_variable
from fitguard.contract.layers import casts_floats, flatten_layers, maker_of
from fitguard.contract.libraries import is_a, library_of
from fitguard.contract.nodes import functional_of, nodes_of

both = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])


def functional(library):
    image = library.Input((4,))
    inner = library.Sequential([library.Input((4,)), library.layers.Dense(3, name="in")])
    return library.Model(image, library.layers.Dense(1, name="out")(inner(image)))


@both
def test_layers_of_nested_models_and_the_calls_between_them(library):
    model = functional(library)
    layers = flatten_layers(model)
    assert layers[0] is model
    assert {"in", "out"} <= {layer.name for layer in layers}
    assert functional_of(model) is model
    assert [node.layer.name for node in nodes_of(model)][-1] == "out"
    assert maker_of(model.outputs[0]).name == "out"


@both
def test_floats_are_cast_unless_the_layer_was_told_not_to(library):
    assert casts_floats(library.layers.Dense(1))
    assert not casts_floats(library.layers.Dense(1, autocast=False))


@both
def test_what_compile_was_given(library):
    model = functional(library)
    assert not is_compiled(model)
    model.compile("adam", "mse", metrics=["mae"], loss_weights=[2.0])
    assert is_compiled(model)
    given = compile_arguments(model)
    assert (given["loss"], given["metrics"], given["loss_weights"]) == ("mse", ["mae"], [2.0])


@both
def test_what_a_loss_was_made_with(library):
    loss = library.losses.SparseCategoricalCrossentropy(from_logits=True)
    assert loss_arguments(loss)["from_logits"] is True


@both
def test_optimizers_get_their_variables_once(library):
    model = functional(library)
    adam = library.optimizers.Adam()
    assert not optimizers.is_built(adam)
    for _ in range(2):
        optimizers.build(adam, model.trainable_variables)
    assert optimizers.is_built(adam)
    optimizers.build(object(), [])


def test_legacy_optimizers_of_keras_2_get_theirs():
    model = functional(tf_keras)
    sgd = tf_keras.optimizers.legacy.SGD(momentum=0.9)
    optimizers.build(sgd, model.trainable_variables)
    assert len(sgd.variables()) == 5


@both
def test_the_variable_behind_a_weight(library):
    weight = functional(library).weights[0]
    assert unwrap_variable(weight) is unwrap_variable(unwrap_variable(weight))
    assert unwrap_variable(weight).shape == (4, 3)
    assert unwrap_variable(7) is None


def test_what_only_counts():
    assert is_counted("_compile_metrics._metrics.0._variables.0")
    assert is_counted("_train_counter")
    assert not is_counted("_layers.1._trainable_variables.0")


@both
def test_classes_of_keras_among_the_bases(library):
    class Mine(library.layers.Dense):
        pass

    assert is_a(Mine(1), "Layer")
    assert not is_a(Mine(1), "Mine")
    assert library_of(Mine(1)).package == library.__name__
    assert library_of(Mine, "Layer").generation == (3 if library is keras else 2)
