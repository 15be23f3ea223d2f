"""To describe a model changes nothing: not its state, and not one bit of what training gives."""

import numpy as np
import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe

RANDOM = np.random.default_rng(0)
TOKENS = RANDOM.integers(1, 12, (8, zoo.LONGEST)).astype("int32")
CASES = {
    "sequential, unbuilt": (
        lambda k: k.Sequential([k.layers.Dense(3), k.layers.Dropout(0.5), k.layers.Dense(1)]),
        "mse",
        (RANDOM.normal(size=(8, 4)).astype("float32"), np.ones((8, 1), "float32")),
    ),
    "subclassed": (
        zoo.own_model,
        "mse",
        (RANDOM.normal(size=(8, 4)).astype("float32"), np.ones((8, 2), "float32")),
    ),
    "recurrent": (
        lambda k: k.Sequential([k.layers.Embedding(50, 3, mask_zero=True), k.layers.GRU(2)]),
        "mse",
        (TOKENS, np.ones((8, 2), "float32")),
    ),
    "transformer": (
        zoo.transformer,
        "sparse_categorical_crossentropy",
        (TOKENS, np.ones((8,), "int32")),
    ),
    "two by two": (
        lambda k: zoo.two_by_two(k, "list"),
        ["mse", "sparse_categorical_crossentropy"],
        (
            [RANDOM.normal(size=(8, 8, 8, 3)).astype("float32"), np.ones((8, 1), "int32")],
            [np.ones((8, 1), "float32"), np.ones((8,), "int32")],
        ),
    ),
}


TRACED = ("sequential, unbuilt", "subclassed")
"""The others are trained without a graph, since it takes them seconds to make one."""


def trained(library, case, look):
    """The weights after two epochs, with a look at the model at each stage, or with none."""
    make, loss, (x, y) = CASES[case]
    library.backend.clear_session()
    library.utils.set_random_seed(3)
    model = make(library)
    look(model)
    model.compile(library.optimizers.Adam(0.01), loss, run_eagerly=case not in TRACED)
    look(model)
    model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    look(model)
    model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    return [(weight.name, weight.numpy()) for weight in model.weights]


@pytest.mark.parametrize("case", CASES)
def test_training_afterwards_is_the_same_bit_for_bit(library, case):
    alone = trained(library, case, id)
    looked_at = trained(library, case, describe)
    assert [name for name, _ in alone] == [name for name, _ in looked_at]
    for (_, one), (_, two) in zip(alone, looked_at, strict=True):
        np.testing.assert_array_equal(one, two)


def state(model):
    """What could have moved: attributes, weights, nodes, and what training has built so far."""
    layers = list(model._flatten_layers())
    variables = model.optimizer.variables
    of_optimizer = variables() if callable(variables) else variables
    loss = getattr(model, "_compile_loss", None) or model.compiled_loss
    return {
        "attributes": [sorted(vars(layer)) for layer in layers],
        "built": [layer.built for layer in layers],
        "nodes": [len(layer._inbound_nodes) for layer in layers],
        "values": [as_bytes(value) for layer in layers for value in own_variables(layer)],
        "optimizer": [as_bytes(value) for value in of_optimizer],
        "loss": sorted((name, id(value)) for name, value in vars(loss).items()),
        "jit": model._jit_compile,
        "train_function": model.train_function,
    }


def own_variables(layer):
    """Weights and, in Keras 3, the states of seed generators."""
    generators = getattr(layer, "_seed_generators", None) or []
    seeds = [generator.state for generator in generators if hasattr(generator, "state")]
    return [*(layer.weights if layer.built else []), *seeds]


def as_bytes(variable):
    return variable.numpy().tobytes()


@pytest.mark.parametrize("case", ["sequential, unbuilt", "recurrent", "transformer", "two by two"])
def test_no_attribute_moves(library, case):
    make, loss, _ = CASES[case]
    model = make(library)
    model.compile(library.optimizers.Adam(), loss)
    before = state(model)
    facts = describe(model)
    assert state(model) == before
    assert describe(model) == facts


def test_an_uncompiled_model_does_not_settle_its_jit(keras3):
    model = keras3.Sequential([keras3.layers.Dense(1)])
    describe(model)
    assert model._jit_compile is None


def test_names_given_afterwards_do_not_move(library):
    library.backend.clear_session()
    model = zoo.u_net(library)
    model.compile("sgd", "CategoricalCrossentropy")
    expected = library.layers.Dense(1).name
    library.backend.clear_session()
    model = zoo.u_net(library)
    model.compile("sgd", "CategoricalCrossentropy")
    describe(model)
    assert library.layers.Dense(1).name == expected
