"""FG627: shapes that differ, and stop the first step."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, CATEGORICAL, MSE, SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, codes, dense, fitted, line

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels

FRACTIONS = Labels(integral=False)


def judged(shape, out, seen=FRACTIONS, **more):
    return run_data("FG627", data(out, labels(shape, labels=seen), **more))


def test_more_labels_than_units():
    x, y = line()
    two = np.stack([y, -y], axis=1)
    model = dense(3, None, "mse")
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        fitted(model, x, two)
    (finding,) = checked(model, x, two)
    assert (finding.code, finding.severity) == ("FG627", "error")
    assert finding.title == "y has shape (n, 2), but mean_squared_error of out expects (n, 3)"
    assert "Give out 2 units" in finding.fix.text
    twin = dense(2, None, "mse")
    assert checked(twin, x, two) == ()
    assert np.isfinite(fitted(twin, x, two)[-1])


def test_one_class_for_a_sequence():
    x, y = clusters()
    steps = np.repeat(x[:, None], 5, axis=1)
    model = dense(3, "softmax", SPARSE, steps=5)
    with pytest.raises(ValueError, match="must have rank"):
        fitted(model, steps, y)
    (finding,) = checked(model, steps, y)
    assert finding.code == "FG627"
    assert "expects (n, 5)" in finding.title
    assert "return_sequences=False" in finding.fix.text
    assert codes(model, steps, np.repeat(y[:, None], 5, axis=1)) == []


def test_shares_of_classes_for_a_sparse_loss():
    (finding,) = judged((3,), output()).findings
    assert "categorical_crossentropy" in finding.fix.text


@pytest.mark.parametrize(
    ("shape", "out"),
    [
        ((4,), output(CATEGORICAL)),
        ((2,), output(BINARY, (None, 1), "sigmoid")),
        ((5, 3), output(MSE)),
        ((), output(MSE)),
        ((1,), output(BINARY, (None, 5, 1))),
    ],
)
def test_fails(shape, out):
    assert judged(shape, out).findings[0].code == "FG627"


@pytest.mark.parametrize(
    ("shape", "out"),
    [
        ((3,), output(CATEGORICAL)),
        ((3, 1), output(MSE)),
        ((1, 1), output(MSE, (None, 1))),
        ((), output()),
        ((1,), output()),
        ((7,), output(SPARSE, (None, None, 3))),
        ((5, 1), output(SPARSE, (None, 5, 3))),
        ((4,), output("own", custom=True)),
        ((4,), output(MSE, None)),
        ((4,), output("ctc")),
    ],
)
def test_fine(shape, out):
    assert judged(shape, out).passed == ("FG627",)


def test_tf_keras_repeats_the_label():
    assert judged((), output(MSE), library="tf_keras 2.21.0").passed == ("FG627",)


@pytest.mark.parametrize(
    ("activation", "remedy"),
    [("softmax", "sparse_categorical_crossentropy"), ("linear", "one unit instead of 3")],
)
def test_one_number_for_several_units(activation, remedy):
    out = output(MSE, (None, 3), activation)
    assert remedy in judged((), out).findings[0].fix.text
