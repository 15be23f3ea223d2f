"""FG624: the last activation against what the loss reads."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, CATEGORICAL, MSE, SPARSE, data, output
from checks.data.label_models import checked, clusters, codes, dense, fitted

from fitguard.checks.framework.testing import run_data

FOCAL = "categorical_focal_crossentropy"


def judged(out, **more):
    return run_data("FG624", data(out, **more))


def test_no_activation_and_no_logits():
    import keras

    x, y = clusters(2)
    wrong = dense(1, None, BINARY)
    right = dense(1, None, keras.losses.BinaryCrossentropy(from_logits=True))
    assert fitted(wrong, x, y, rounds=40)[-1] > 5
    assert fitted(right, x, y, rounds=40)[-1] < 0.05
    (finding,) = checked(wrong, x, y)
    assert (finding.code, finding.severity) == ("FG624", "error")
    assert finding.title.startswith("The output out, linear, gives no probabilities")
    assert "BinaryCrossentropy(from_logits=True)" in finding.fix.text
    assert checked(right, x, y) == ()


def test_softmax_twice_has_a_floor():
    import keras

    x, y = clusters()
    rows = np.eye(3, dtype="float32")[y]
    focal = keras.losses.CategoricalFocalCrossentropy
    wrong, right = dense(3, "softmax", focal(from_logits=True)), dense(3, "softmax", focal())
    assert fitted(wrong, x, rows, rounds=40)[-1] > 0.02
    assert fitted(right, x, rows, rounds=40)[-1] < 0.002
    (finding,) = checked(wrong, x, rows)
    assert (finding.code, finding.severity) == ("FG624", "error")
    assert checked(right, x, rows) == ()


def test_keras_finds_the_logits_behind_a_softmax_with_nothing_between():
    import keras

    x, y = clusters()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    mended = dense(3, "softmax", loss)
    broken = keras.Sequential([mended.get_layer("out"), keras.layers.Reshape((3,))])
    with pytest.warns(UserWarning, match="does not represent logits"):
        assert fitted(mended, x, y, rounds=40)[-1] < 0.05
    (finding,) = checked(mended, x, y)
    assert (finding.code, finding.severity) == ("FG624", "warning")
    broken.compile("adam", loss)
    assert fitted(broken, x, y)[-1] > 0.5
    assert codes(broken, x, y) == ["FG624"]


def test_softmax_cannot_say_two_labels():
    x, y = clusters()
    both = (y[:, None] != [0, 1, 2]).astype("float32")
    wrong, right = dense(3, "softmax", BINARY), dense(3, "sigmoid", BINARY)
    fitted(wrong, x, both, rounds=60)
    fitted(right, x, both, rounds=60)
    assert (wrong.predict(x, verbose=0) > 0.6).sum(-1).max() <= 1
    assert (right.predict(x, verbose=0) > 0.6).sum(-1).min() == 2
    (finding,) = checked(wrong, x, both)
    assert (finding.code, finding.severity) == ("FG624", "warning")
    assert checked(right, x, both) == ()


def test_logarithm_of_a_negative_output():
    x, y = clusters()
    wrong, right = dense(1, None, "poisson"), dense(1, "softplus", "poisson")
    assert np.isnan(fitted(wrong, x, y)[-1])
    assert np.isfinite(fitted(right, x, y)[-1])
    assert codes(wrong, x, y) == ["FG624"]
    assert codes(right, x, y) == []


@pytest.mark.parametrize(
    ("out", "severity"),
    [
        (output(BINARY, (None, 1), "tanh", from_logits=False), "error"),
        (output(SPARSE, activation="relu", from_logits=False), "error"),
        (output("kl_divergence", activation="linear"), "error"),
        (output(SPARSE, dtype="float16", from_logits=True), "error"),
        (output(BINARY, (None, 1), "sigmoid", from_logits=True), "warning"),
        (output(CATEGORICAL, activation="sigmoid", from_logits=False), "info"),
        (output(BINARY, (None, 3), "softmax", from_logits=False), "warning"),
        (output(BINARY, (None, 2), "softmax", from_logits=False), "info"),
    ],
    ids=[
        *("tanh", "relu", "divergence", "float16", "sigmoid-twice", "sigmoid-on-classes"),
        *("softmax-three", "softmax-two"),
    ],
)
def test_at_odds(out, severity):
    (finding,) = judged(out).findings
    assert finding.severity == severity


def test_tf_keras_finds_the_logits_for_focal_losses_too():
    (finding,) = judged(output(FOCAL, from_logits=True), library="tf_keras 2.21.0").findings
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "out",
    [
        output(SPARSE, from_logits=False),
        output(SPARSE, activation="linear", from_logits=True),
        output(SPARSE, activation=None, from_logits=False),
        output(BINARY, (None, 4), "sigmoid", from_logits=False),
        output(BINARY, (None, 1), "hard_sigmoid", from_logits=False),
        output(MSE, activation="linear"),
        output(MSE, activation="sigmoid"),
        output("poisson", activation="exponential"),
        output("own", activation="linear", custom=True, from_logits=False),
        output(None, activation="linear"),
        output(BINARY, (None, 1), "softmax", from_logits=False),
    ],
    ids=str,
)
def test_fine(out):
    assert judged(out).passed == ("FG624",)


def test_own_training_step():
    out = output(SPARSE, activation="linear", from_logits=False)
    assert judged(out, custom_step=True).skipped


def test_softmax_over_two_units_finds_the_class_all_the_same():
    x, y = clusters()
    x, pair = x[y < 2], np.eye(2, dtype="float32")[y[y < 2]]
    model = dense(2, "softmax", BINARY)
    fitted(model, x, pair, rounds=60)
    assert (model.predict(x, verbose=0).argmax(-1) == pair.argmax(-1)).mean() > 0.95
    (finding,) = checked(model, x, pair)
    assert (finding.code, finding.severity) == ("FG624", "info")
