"""FG631: quantities that are constant, or there twice."""

import numpy as np
import pytest
from checks.data.label_facts import MSE, SPARSE, data, labels, output
from checks.data.label_models import checked, dense, fitted, line

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Columns, Labels, Spotted

ONE = output(MSE, (None, 1), "linear")


def judged(out=ONE, shape=(), **more):
    given = {"labels": Labels(integral=False), "minimum": 4.0, "maximum": 4.0, **more}
    return run_data("FG631", data(out, labels(shape, **given)))


def test_the_bias_alone_learns_a_constant():
    x, y = line()
    model = dense(1, None, "mse", rate=0.3)
    same = np.full_like(y, 4)
    assert fitted(model, x, same, rounds=60)[-1] < 0.05
    assert np.ptp(model.predict(x, verbose=0)) < 0.5
    (finding,) = checked(model, x, same)
    assert (finding.code, finding.severity) == ("FG631", "info")
    assert finding.title == "All values in y are 4 (of 96 samples)"
    twin = dense(1, None, "mse", rate=0.3)
    assert checked(twin, x, y) == ()
    fitted(twin, x, y, rounds=60)
    assert np.ptp(twin.predict(x, verbose=0)) > 4


def test_columns():
    x, y = line()
    two = np.stack([y, np.full_like(y, 7), y], axis=1)
    model = dense(3, None, "mse")
    titles = [finding.title for finding in checked(model, x, two)]
    assert titles == [
        "Column 1 of y is 7 in every sample (of 96 samples)",
        "Columns 0 and 2 of y are equal in every sample (of 96 samples)",
    ]


@pytest.mark.parametrize(
    ("out", "more"),
    [
        (ONE, {"maximum": 5.0}),
        (ONE, {"minimum": None, "maximum": None}),
        (ONE, {"samples": 5, "samples_seen": 5}),
        (ONE, {"nans": Spotted(3)}),
        (output(SPARSE), {}),
        (output("own", (None, 1), custom=True), {}),
    ],
    ids=["varies", "unread", "few", "nans", "classes", "custom"],
)
def test_fine(out, more):
    assert judged(out, **more).passed == ("FG631",)


def test_steps_of_a_sequence_are_no_columns():
    out, same = output(MSE, (None, 5, 1), "linear"), Columns(duplicate=((1, 0),))
    assert judged(out, (5,), maximum=9.0, columns=same).passed == ("FG631",)


def test_wide_labels_are_images():
    out, border = output(MSE, (None, 784), "sigmoid"), Columns(constant=((0, 0.0),))
    assert judged(out, (784,), maximum=9.0, columns=border).passed == ("FG631",)


def test_a_border_of_zeros_is_usual_in_pictures():
    import keras

    import fitguard

    x = np.random.default_rng(0).integers(0, 17, size=(64, 16)).astype("float32")
    x[:, [0, 3, 12, 15]] = 0
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(16)])
    model.compile("sgd", "mse")
    assert fitguard.check_data(model, x / 16, x / 16).findings == ()
    model.fit(x / 16, x / 16, verbose=0)
    report = fitguard.check_data(model, x / 16, x / 16 - 0.5)
    assert {finding.code for finding in report.findings} == {"FG631"}
