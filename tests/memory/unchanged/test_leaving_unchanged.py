"""A model that was planned trains bit for bit as one that was not."""

import importlib
import random

import numpy as np
import pytest
from inputs.models import zoo

from fitguard.memory.preparation import prepare
from fitguard.memory.unchanged import leaving_unchanged

CHANCE = np.random.default_rng(0)
TOKENS = CHANCE.integers(1, 12, (8, zoo.LONGEST)).astype("int32")
NUMBERS = CHANCE.normal(size=(8, 4)).astype("float32")


def dense(keras):
    layers = [keras.layers.Dense(3), keras.layers.Dropout(0.5), keras.layers.Dense(1)]
    return keras.Sequential(layers)


def normalised(keras):
    x = keras.Input((4,))
    hidden = keras.layers.BatchNormalization()(keras.layers.Dense(3)(x))
    return keras.Model(x, keras.layers.Dense(1)(keras.layers.Dropout(0.3)(hidden)))


CASES = {
    "functional": (normalised, "mse", (NUMBERS, np.ones((8, 1), "float32"))),
    "sequential, unbuilt": (dense, "mse", (NUMBERS, np.ones((8, 1), "float32"))),
    "subclassed": (zoo.own_model, "mse", (NUMBERS, np.ones((8, 2), "float32"))),
    "transformer": (
        zoo.transformer,
        "sparse_categorical_crossentropy",
        (TOKENS, np.ones((8,), "int32")),
    ),
}


@pytest.fixture(params=["keras", "tf_keras"])
def library(request):
    return importlib.import_module(request.param)


def traced(model, x, y, **options):
    """Plan the model as far as its step is traced."""
    import tensorflow as tf

    with prepare(model, 8, x, y, **options) as prepared:
        specs = prepared.training.specs(7)
        return tf.function(model.train_step).get_concrete_function(specs)


def trained(library, case, look):
    import tensorflow as tf

    make, loss, (x, y) = CASES[case]
    library.backend.clear_session()
    library.utils.set_random_seed(3)
    model = make(library)
    look(model, x, y, optimizer="sgd", loss=loss)
    model.compile(library.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    look(model, x, y)
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    drawn = [random.random(), np.random.random(), float(tf.random.uniform(()))]
    variables = [*model.weights, *variables_of(model.optimizer)]
    return [(variable.name, variable.numpy()) for variable in variables], drawn


def variables_of(optimizer):
    variables = optimizer.variables
    return variables() if callable(variables) else variables


@pytest.mark.parametrize("case", ["sequential, unbuilt", "functional"])
def test_training_afterwards_is_the_same_bit_for_bit(library, case):
    alone, drawn = trained(library, case, lambda *_, **__: None)
    planned, drawn_after = trained(library, case, traced)
    assert [name for name, _ in alone] == [name for name, _ in planned]
    for (_, one), (_, two) in zip(alone, planned, strict=True):
        np.testing.assert_array_equal(one, two)
    assert drawn == drawn_after


def state(model):
    """What could have moved: attributes, weights, nodes, and what training has built so far."""
    layers = list(model._flatten_layers())
    loss = getattr(model, "_compile_loss", None) or model.compiled_loss
    metrics = getattr(model, "_compile_metrics", None) or model.compiled_metrics
    return {
        "attributes": [
            [(name, id(value)) for name, value in vars(layer).items()] for layer in layers
        ],
        "built": [layer.built for layer in layers],
        "nodes": [len(layer._inbound_nodes) for layer in layers],
        "optimizer": [(v.name, v.numpy().tobytes()) for v in variables_of(model.optimizer)],
        "parts": [
            [(name, id(value)) for name, value in vars(part).items()]
            for part in (loss, metrics, model.optimizer)
        ],
    }


@pytest.mark.parametrize("case", CASES)
def test_no_attribute_moves(library, case):
    make, loss, (x, y) = CASES[case]
    model = make(library)
    model.compile(library.optimizers.Adam(), loss, metrics=["accuracy"])
    before = state(model)
    step = traced(model, x, y, optimizer="adagrad", loss=loss)
    assert len(step.graph.get_operations()) > 50
    assert state(model) == before


def test_an_uncompiled_model_stays_so(library):
    model = zoo.transformer(library)
    compiled = "compiled" if library.__name__ == "keras" else "_is_compiled"
    traced(model, TOKENS, None)
    assert not getattr(model, compiled)
    assert model._jit_compile is None
    assert getattr(model, "optimizer", None) is None


def test_names_given_afterwards_do_not_move(library):
    library.backend.clear_session()
    dense(library)
    expected = library.layers.Dense(1).name
    library.backend.clear_session()
    traced(dense(library), NUMBERS, None)
    assert library.layers.Dense(1).name == expected


def adversaries(keras):
    """Two networks, each with an optimizer of its own, and a count of steps."""
    import tensorflow as tf

    class Adversaries(keras.Model):
        def __init__(self):
            super().__init__()
            self.maker = keras.Sequential([keras.layers.Dense(4)])
            self.judge = keras.Sequential([keras.layers.Dense(1)])
            self.steps, self.seen = 0, []

        def compile(self, one, other):
            super().compile()
            self.optimizers = {"maker": one, "judge": other}

        def train_step(self, real):
            self.steps += 1
            self.seen.append(real)
            for name in ("maker", "judge"):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(self.judge(self.maker(real)))
                weights = getattr(self, name).trainable_variables
                gradients = tape.gradient(loss, weights)
                self.optimizers[name].apply_gradients(zip(gradients, weights, strict=True))
            return {"loss": loss}

    model = Adversaries()
    model.compile(keras.optimizers.Adam(), keras.optimizers.SGD(momentum=0.9))
    return model


def test_steps_that_change_python_state_and_build_everything(library):
    model = adversaries(library)
    counts = [len(variables_of(one)) for one in model.optimizers.values()]
    step = traced(model, NUMBERS, None)
    assert len(step.captured_inputs) > 8
    assert (model.steps, list(model.seen), model.maker.built) == (0, [], False)
    assert [len(variables_of(one)) for one in model.optimizers.values()] == counts
    model.fit(NUMBERS, verbose=0)
    assert model.steps


def test_traces_of_methods_vanish(library):
    import tensorflow as tf

    class Own(library.Model):
        def __init__(self):
            super().__init__()
            self.layer = library.layers.Dense(2)

        @tf.function
        def call(self, x):
            return self.layer(x)

    model = Own()
    model.compile("sgd", "mse")
    with leaving_unchanged(model):
        tf.function(lambda x: model(x)).get_concrete_function(tf.TensorSpec((7, 4)))
        assert model.weights
    assert model.weights == []
    model(NUMBERS[:7])  # Keras 3 cannot train such a model before it is built
    model.fit(NUMBERS, np.ones((8, 2)), batch_size=7, verbose=0)
    assert int(model.optimizer.iterations) == 2


def test_it_is_put_back_after_an_error_too(library):
    model = dense(library)

    def fail():
        with leaving_unchanged(model):
            model.build((None, 4))
            assert model.weights
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail()
    assert not model.built


def test_the_seeds_of_eager_operations(library):
    """Kernels with the user's own seeds are not drawn from."""
    import tensorflow as tf

    def drawn(look):
        tf.random.set_seed(5)
        first = float(tf.random.uniform((), seed=1))
        look()
        return first, float(tf.random.uniform((), seed=1)), float(tf.random.uniform(()))

    assert drawn(lambda: None) == drawn(lambda: traced(dense(library), NUMBERS, None))
