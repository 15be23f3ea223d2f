"""FG626: shapes that differ, and train on nonsense."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, MSE, data, labels, output
from checks.data.label_models import checked, codes, dense, fitted, line

from fitguard.checks.framework.testing import run_data

LEGACY = "tf_keras 2.21.0"


def judged(shape, out, **more):
    return run_data("FG626", data(out, labels(shape), **more))


def own_loss(keras):
    class Squares(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return keras.ops.square(y_true - y_pred)

    return Squares()


def test_own_loss_class_pairs_all_samples():
    import keras

    x, y = line()
    wrong, right = dense(1, None, own_loss(keras)), dense(1, None, own_loss(keras))
    assert fitted(wrong, x, y, rounds=60)[-1] > 1
    assert fitted(right, x, y[:, None], rounds=60)[-1] < 0.01
    (finding,) = checked(wrong, x, y)
    assert (finding.code, finding.severity, finding.confidence) == ("FG626", "error", "medium")
    assert finding.title == (
        "y has shape (n,) and out shape (n, 1): Squares, a class of your own, gets all n × n pairs"
    )
    assert "y[:, None]" in finding.fix.text
    assert checked(right, x, y[:, None]) == ()


def test_own_function_is_given_the_same_rank():
    import keras

    def squares(y_true, y_pred):
        return keras.ops.square(y_true - y_pred)

    x, y = line()
    model = dense(1, None, squares)
    assert fitted(model, x, y, rounds=60)[-1] < 0.01
    assert checked(model, x, y) == ()


def test_one_number_for_three_units():
    x, y = line()
    model = dense(3, None, "mse")
    fitted(model, x, y[:, None], rounds=60)
    guesses = model.predict(x, verbose=0)
    assert np.allclose(guesses, y[:, None], atol=0.2)
    (finding,) = checked(model, x, y[:, None])
    assert (finding.code, finding.severity) == ("FG626", "error")
    assert finding.title.startswith("y has shape (n, 1) and out (n, 3)")
    twin = dense(1, None, "mse")
    assert checked(twin, x, y[:, None]) == ()


def test_sequences_with_one_label_mix_samples():
    x, y = line()
    steps = np.repeat(x[:, None], 5, axis=1)
    model = dense(1, None, "mse", steps=5)
    assert fitted(model, steps, y, rounds=60)[-1] > 1
    (finding,) = checked(model, steps, y)
    assert finding.code == "FG626"
    assert "labels of all others" in finding.title
    each = np.repeat(y[:, None], 5, axis=1)
    twin = dense(1, None, "mse", steps=5)
    assert codes(twin, steps, each) == []
    assert fitted(twin, steps, each, rounds=60)[-1] < 0.01


def test_tf_keras_takes_one_number_for_three_units():
    import tf_keras

    x, y = line()
    model = dense(3, None, "mse", keras=tf_keras)
    assert np.isfinite(fitted(model, x, y)[-1])
    (finding,) = checked(model, x, y)
    assert finding.code == "FG626"
    assert "repeats the shorter one" in finding.title


@pytest.mark.parametrize(
    ("shape", "out", "severity"),
    [
        ((3,), output(MSE, (None, 1)), "error"),
        ((), output(MSE, (None, 5, 1)), "error"),
        ((1,), output(MSE, (None, 5, 1)), "warning"),
        ((1, 1), output("huber", (None, 5, 1)), "warning"),
        ((1,), output("hinge", (None, 4)), "error"),
    ],
    ids=["mean-of-three", "mixed", "all-steps", "all-steps-again", "hinge"],
)
def test_broadcasts(shape, out, severity):
    (finding,) = judged(shape, out).findings
    assert finding.severity == severity


def test_tf_keras_takes_one_label_for_all_steps():
    out = output(BINARY, (None, 5, 1), "sigmoid")
    assert judged((1,), out, library=LEGACY).findings
    assert not judged((1,), out).findings


@pytest.mark.parametrize(
    ("shape", "out"),
    [
        ((), output(MSE, (None, 1))),
        ((1,), output(MSE, (None,))),
        ((5,), output(MSE, (None, 5, 1))),
        ((5, 1), output(MSE, (None, None, 1))),
        ((3,), output(MSE)),
        ((), output(MSE)),
        ((1,), output(BINARY)),
        ((), output("own", (None, 1), custom=True)),
        ((1,), output("own", (None, 1), custom=True, unmatched=True)),
        ((), output("own", None, custom=True, unmatched=True)),
        ((), output(MSE, None)),
    ],
)
def test_not_this_check(shape, out):
    assert judged(shape, out).passed == ("FG626",)
