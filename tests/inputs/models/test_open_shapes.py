"""What a chain of layers tells before it is built."""

import pytest

from fitguard.inputs.models import describe

CHAINS = {
    "dense": (lambda k: [k.Dense(8), k.Dense(3)], (None, 4), (None, 3)),
    "dense on steps": (lambda k: [k.Dense(3)], (None, 7, 4), (None, 7, 3)),
    "images": (
        lambda k: [k.Rescaling(0.5), k.Conv2D(2, 3), k.MaxPooling2D(), k.Flatten(), k.Dense(3)],
        (None, 8, 8, 1),
        (None, 3),
    ),
    "masks": (lambda k: [k.Conv2D(5, 3, padding="same")], (None, 8, 8, 1), (None, 8, 8, 5)),
    "tokens": (lambda k: [k.Embedding(9, 4), k.LSTM(2), k.Dense(1)], (None, 6), (None, 1)),
    "unknown layer": (lambda k: [k.Lambda(lambda x: x), k.Dense(3)], (None, 4), None),
    "a shape that does not fit": (lambda k: [k.Conv2D(2, 3), k.Dense(3)], (None, 8), None),
}


@pytest.mark.parametrize("case", CHAINS)
def test_shape_behind_a_batch(library, case):
    layers, batch, expected = CHAINS[case]
    chain = layers(library.layers)
    model = library.Sequential(chain)
    before = [model.built, *(layer.built for layer in chain)]
    assert describe(model, batch).outputs[0].shape == expected
    assert [model.built, *(layer.built for layer in chain)] == before


def test_units_without_a_batch(library):
    layers = library.layers
    model = library.Sequential([layers.Dense(3), layers.Activation("softmax")])
    assert describe(model).outputs[0].units == 3
    other = library.Sequential([layers.Dense(3), layers.Lambda(lambda x: x)])
    assert describe(other).outputs[0].units is None


@pytest.mark.parametrize(
    ("first", "axes"),
    [
        (lambda k: k.Conv2D(2, 3), 4),
        (lambda k: k.Conv1D(2, 3), 3),
        (lambda k: k.LSTM(2), 3),
        (lambda k: k.Dense(2), None),
        (lambda k: k.Embedding(9, 2), None),
        (lambda k: k.Flatten(), None),
    ],
)
def test_least_axes(library, first, axes):
    layers = library.layers
    model = library.Sequential([layers.Rescaling(0.5), first(layers)])
    assert describe(model).inputs[0].least_axes == axes
