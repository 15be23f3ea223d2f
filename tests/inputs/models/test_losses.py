"""Losses as `compile` takes them."""

import functools

import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe
from fitguard.schema.model import Loss

SPARSE = "sparse_categorical_crossentropy"
GIVEN = {
    "alias": ("mse", Loss(name="mean_squared_error")),
    "capital alias": ("MAE", Loss(name="mean_absolute_error")),
    "name": (SPARSE, Loss(name=SPARSE, from_logits=False)),
    "class name": ("BinaryCrossentropy", Loss(name="binary_crossentropy", from_logits=False)),
    "KLDivergence": ("KLDivergence", Loss(name="kl_divergence")),
}
MADE = {
    "object": (
        lambda losses: losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1),
        Loss(name=SPARSE, from_logits=True, ignore_class=-1),
    ),
    "binary object": (
        lambda losses: losses.BinaryCrossentropy(),
        Loss(name="binary_crossentropy", from_logits=False),
    ),
    "regression": (lambda losses: losses.Huber(), Loss(name="huber")),
    "LogCosh": (lambda losses: losses.LogCosh(), Loss(name="log_cosh")),
    "function": (
        lambda losses: losses.categorical_crossentropy,
        Loss(name="categorical_crossentropy", from_logits=False),
    ),
    "partial": (
        lambda losses: functools.partial(losses.binary_crossentropy, from_logits=True),
        Loss(name="binary_crossentropy", from_logits=True),
    ),
}


def loss_of(library, given):
    model = library.Sequential([library.Input((2,)), library.layers.Dense(1)])
    model.compile("sgd", given)
    return describe(model).outputs[0].loss


@pytest.mark.parametrize("case", GIVEN)
def test_names(library, case):
    given, expected = GIVEN[case]
    assert loss_of(library, given) == expected


@pytest.mark.parametrize("case", MADE)
def test_objects_and_functions(library, case):
    make, expected = MADE[case]
    assert loss_of(library, make(library.losses)) == expected


def test_losses_of_the_users_own(library):
    def spread(y_true, y_pred):
        return y_pred - y_true

    class Tilted(library.losses.Loss):
        def call(self, y_true, y_pred):
            return y_pred - y_true

    class Softer(library.losses.CategoricalCrossentropy):
        pass

    assert loss_of(library, spread) == Loss(name="spread", custom=True)
    assert loss_of(library, lambda _, y: y).custom
    tilted = loss_of(library, Tilted())
    assert (tilted.name, tilted.custom) == ("Tilted", True)
    assert tilted.unmatched is (library.__name__ == "keras")
    softer = loss_of(library, Softer(from_logits=True))
    assert (softer.name, softer.custom, softer.unmatched) == ("Softer", True, False)
    assert softer.from_logits is True


@pytest.mark.parametrize("shape", ["list", "dict"])
def test_a_loss_for_each_output(library, shape):
    model = zoo.two_by_two(library, shape)
    names = [one.name for one in describe(model).outputs]

    def losses(given):
        model.compile("sgd", given)
        return [one.loss and one.loss.name for one in describe(model).outputs]

    assert losses("mae") == ["mean_absolute_error"] * 2
    assert losses({names[1]: SPARSE, names[0]: "mse"}) == ["mean_squared_error", SPARSE]
    assert losses({names[1]: SPARSE}) == [None, SPARSE]
    if shape == "list":
        assert losses([None, SPARSE]) == [None, SPARSE]
        assert losses(["mse", SPARSE]) == ["mean_squared_error", SPARSE]


def test_no_loss(library):
    model = library.Sequential([library.Input((2,)), library.layers.Dense(1)])
    assert describe(model).outputs[0].loss is None
    model.compile("sgd")
    assert describe(model).outputs[0].loss is None
