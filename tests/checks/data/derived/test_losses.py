"""What labels each loss reads; checked against the losses that Keras has."""

import inspect

import pytest
from checks.data.label_facts import BINARY, CATEGORICAL, MSE, SPARSE, output

from fitguard.checks.data.derived.losses import (
    find_label_limits,
    label_kind,
    loss_class,
    reads_probabilities,
)
from fitguard.schema.model import Loss


@pytest.mark.parametrize(
    ("out", "limits"),
    [
        (output(SPARSE, (None, 10)), (0, 9)),
        (output(SPARSE, (None, None, 50)), (0, 49)),
        (output(SPARSE, None), (0, None)),
        (output(BINARY, (None, 1)), (0, 1)),
        (output("dice", (None, 8, 8, 1)), (0, 1)),
        (output("hinge", (None, 1)), (-1, 1)),
        (output(CATEGORICAL), (None, None)),
        (output(MSE), (None, None)),
        (output("own", custom=True), (None, None)),
        (output(BINARY, custom=True), (None, None)),
        (output(None), (None, None)),
    ],
)
def test_allowed(out, limits):
    assert find_label_limits(out) == limits


def test_every_loss_of_keras_is_known_but_two():
    import keras

    classes = [
        name
        for name, found in vars(keras.losses).items()
        if inspect.isclass(found) and name not in ("Loss", "CTC", "Circle")
    ]
    known = {loss_class(Loss(name=name)).lower() for name in _names()}
    assert {name.lower() for name in classes} - known == set()


def test_loss_classes_exist():
    import keras

    for name in (SPARSE, CATEGORICAL, BINARY, "binary_focal_crossentropy"):
        assert hasattr(keras.losses, loss_class(Loss(name=name)))


def test_probabilities():
    assert reads_probabilities(Loss(name=SPARSE, from_logits=False)) is True
    assert reads_probabilities(Loss(name=SPARSE, from_logits=True)) is False
    assert reads_probabilities(Loss(name="kl_divergence")) is True
    assert reads_probabilities(Loss(name=MSE)) is None
    assert reads_probabilities(Loss(name=SPARSE, custom=True)) is None


def test_unknown_loss():
    assert label_kind(Loss(name="ctc")) is None
    assert label_kind(None) is None


def _names():
    from fitguard.checks.data.derived import losses

    return losses._KINDS
