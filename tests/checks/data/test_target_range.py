"""FG635: labels where the last activation, or the loss, cannot go."""

import numpy as np
import pytest
from checks.data.label_facts import MSE, data, labels, output
from checks.data.label_models import checked, dense, fitted, line

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels

POISSON, MSLE = "poisson", "mean_squared_logarithmic_error"
MAPE = "mean_absolute_percentage_error"


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_an_activation_cannot_reach_the_labels(activation):
    x, y = line()
    far = 20 + 5 * y
    wrong, right = dense(1, activation, "mse"), dense(1, None, "mse", rate=1.0)
    assert fitted(wrong, x, far, rounds=80)[-1] > 300
    assert fitted(right, x, far, rounds=80)[-1] < 20
    assert wrong.predict(x, verbose=0).max() <= 1
    (finding,) = checked(wrong, x, far)
    assert (finding.code, finding.severity) == ("FG635", "error")
    assert f"the {activation} of out gives" in finding.title
    assert "Take the activation out of out" in finding.fix.text
    assert checked(right, x, far) == ()


def test_labels_within_reach():
    x, y = line()
    share = 1 / (1 + np.exp(-y))
    model = dense(1, "sigmoid", "mse")
    fitted(model, x, share)
    assert checked(model, x, share) == ()


def test_poisson_falls_without_end_for_negative_labels():
    x, y = line()
    model = dense(1, "softplus", POISSON)
    first, second = fitted(model, x, y - 10, rounds=80)
    assert second < first
    (finding,) = checked(model, x, y - 10)
    assert (finding.code, finding.severity) == ("FG635", "error")
    assert "reads no number below 0" in finding.title


def test_percentages_of_zero():
    x, y = line()
    zeros = np.where(y > 1, np.abs(y), 0).astype("float32")
    model = dense(1, None, MAPE)
    assert fitted(model, x, zeros)[0] > 1e6
    (finding,) = checked(model, x, zeros)
    assert (finding.code, finding.severity) == ("FG635", "warning")
    assert "divides by the label" in finding.title


def judged(loss, activation, lowest, highest, **more):
    seen = labels((1,), minimum=lowest, maximum=highest, labels=Labels(integral=False))
    return run_data("FG635", data(output(loss, (None, 1), activation, **more), seen)).findings


@pytest.mark.parametrize(
    ("loss", "activation", "lowest", "highest", "severity"),
    [
        (MSE, "relu", -3.0, 5.0, "warning"),
        (MSE, "softmax", 0.0, 5.0, "error"),
        (MSLE, "linear", -3.0, 5.0, "error"),
    ],
)
def test_severity(loss, activation, lowest, highest, severity):
    assert [each.severity for each in judged(loss, activation, lowest, highest)] == [severity]


@pytest.mark.parametrize(
    ("loss", "activation", "lowest", "highest"),
    [
        (MSE, "linear", -300.0, 300.0),
        (MSE, None, -300.0, 300.0),
        (MSE, "sigmoid", -0.01, 1.04),
        (MSE, "relu", 0.0, 300.0),
        (MSE, "sigmoid", None, None),
        (POISSON, "softplus", 0.0, 9.0),
        (MAPE, "linear", 1.0, 9.0),
        ("cosine_similarity", "tanh", -9.0, 9.0),
        ("binary_crossentropy", "sigmoid", 0.0, 9.0),
    ],
)
def test_not_this_check(loss, activation, lowest, highest):
    assert judged(loss, activation, lowest, highest) == ()


def test_a_loss_of_ones_own_is_not_judged():
    assert judged("own", "sigmoid", 0.0, 9.0, custom=True) == ()
