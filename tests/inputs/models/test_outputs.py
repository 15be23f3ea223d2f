"""Outputs: names, shapes, and the last activation."""

import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe

ACTIVATIONS = {
    "Dense with softmax": ("softmax", lambda k: [k.Dense(3, activation="softmax")]),
    "Dense alone": ("linear", lambda k: [k.Dense(3)]),
    "Dense, then Activation": ("sigmoid", lambda k: [k.Dense(3), k.Activation("sigmoid")]),
    "Softmax layer": ("softmax", lambda k: [k.Dense(3), k.Softmax()]),
    "ReLU layer": ("relu", lambda k: [k.Dense(3), k.ReLU()]),
    "LeakyReLU layer": ("leaky_relu", lambda k: [k.Dense(3), k.LeakyReLU()]),
    "float32 at the end": (
        "softmax",
        lambda k: [k.Dense(3, activation="softmax"), k.Activation("linear", dtype="float32")],
    ),
    "reshaped": ("tanh", lambda k: [k.Dense(4, activation="tanh"), k.Reshape((2, 2))]),
    "dropped": ("sigmoid", lambda k: [k.Dense(3, activation="sigmoid"), k.Dropout(0.1)]),
    "normed": ("linear", lambda k: [k.Dense(3, activation="relu"), k.BatchNormalization()]),
    "each step": (
        "softmax",
        lambda k: [k.Reshape((2, 2)), k.TimeDistributed(k.Dense(3, activation="softmax"))],
    ),
    "convolution": (
        "sigmoid",
        lambda k: [k.Reshape((2, 2, 1)), k.Conv2D(1, 1, activation="sigmoid")],
    ),
    "a layer as activation": ("softmax", lambda k: [k.Dense(3, activation=k.Softmax())]),
    "Lambda": (None, lambda k: [k.Dense(3), k.Lambda(lambda x: x)]),
    "the user's own function": (None, lambda k: [k.Dense(3, activation=lambda x: x)]),
    "LSTM": (None, lambda k: [k.Reshape((2, 2)), k.LSTM(3)]),
    "Rescaling": (None, lambda k: [k.Dense(3, activation="tanh"), k.Rescaling(2.0)]),
}


@pytest.mark.parametrize("built", [True, False], ids=["built", "unbuilt"])
@pytest.mark.parametrize("case", ACTIVATIONS)
def test_last_activation(library, case, built):
    expected, layers = ACTIVATIONS[case]
    start = [library.Input((4,))] if built else []
    model = library.Sequential([*start, *layers(library.layers)])
    assert describe(model).outputs[0].activation == expected
    assert model.built is built


def test_functions_of_keras_and_tensorflow(library):
    import tensorflow as tf

    layers = library.layers
    x = library.Input((4,))
    softmax = library.activations.softmax(layers.Dense(3)(x))
    ends = [
        softmax,
        layers.Dense(3, activation=tf.nn.softmax)(x),
        layers.Dense(3, activation=tf.nn.sigmoid)(x),
    ]
    found = describe(library.Model(x, ends)).outputs
    assert [one.activation for one in found] == ["softmax", "softmax", "sigmoid"]


def test_joined_ends(library):
    layers = library.layers
    x = library.Input((4,))
    one, two = (layers.Dense(3, activation="softmax")(x) for _ in range(2))
    plain = [layers.Dense(3)(x) for _ in range(2)]
    ends = [
        layers.Average()([one, two]),
        layers.Add()(plain),
        layers.Add()([one, two]),
        layers.Concatenate()([one, plain[0]]),
    ]
    found = describe(library.Model(x, ends)).outputs
    assert [end.activation for end in found] == ["softmax", "linear", None, None]


@pytest.mark.parametrize(
    ("shape", "names"), [("list", ["price_head", "sort_head"]), ("dict", ["price", "sort"])]
)
def test_several_outputs(library, shape, names):
    found = describe(zoo.two_by_two(library, shape)).outputs
    assert [(one.name, one.shape, one.layer, one.activation) for one in found] == [
        (names[0], (None, 1), "price_head", "linear"),
        (names[1], (None, 4), "sort_head", "softmax"),
    ]


def test_each_pixel_of_a_u_net(library):
    facts = describe(zoo.u_net(library))
    (found,) = facts.outputs
    assert (found.name, found.shape, found.activation) == ("mask", (None, None, None, 3), "softmax")
    assert facts.inputs[0].rescaled is True
    assert facts.batch_statistics == ("norm",)
    assert facts.flat_statistics == ()


def test_the_shape_of_a_sequential_that_is_not_built(library):
    layers = library.layers
    flat = library.Sequential([layers.Flatten(), layers.Dense(5), layers.Dense(3, name="end")])
    found = describe(flat).outputs[0]
    assert (found.name, found.shape) == ("end", (None, 3))
    assert describe(library.Sequential([layers.Dense(3)])).outputs[0].shape is None
    lstm = library.Sequential([layers.LSTM(2, return_sequences=True), layers.Dense(3)])
    assert describe(lstm).outputs[0].shape == (None, None, 3)


def test_a_subclassed_model_has_the_outputs_that_its_losses_tell(library):
    model = zoo.own_model(library)
    assert describe(model).outputs is None
    model.compile(loss="mse")
    (found,) = describe(model).outputs
    assert (found.name, found.shape, found.loss.name) == ("output", None, "mean_squared_error")
    model.compile(loss={"a": "mse", "b": "mae"})
    assert [one.name for one in describe(model).outputs] == ["a", "b"]
