"""FG622: class numbers for a loss that reads one-hot rows."""

import numpy as np
import pytest
from checks.data.label_facts import CATEGORICAL, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels

WHOLE = Labels(integral=True)


def judged(shape, out, seen=WHOLE, **more):
    return run_data("FG622", data(out, labels(shape, labels=seen), **more))


def test_training_stops():
    x, y = clusters()
    model = dense(3, "softmax", CATEGORICAL)
    with pytest.raises(ValueError, match="must have the same rank"):
        fitted(model, x, y)
    (finding,) = checked(model, x, y)
    assert (finding.code, finding.severity) == ("FG622", "error")
    assert "keras.utils.to_categorical(y, 3)" in finding.fix.text
    assert "sparse_categorical_crossentropy" in finding.fix.text
    rows = np.eye(3, dtype="float32")[y]
    twin = dense(3, "softmax", CATEGORICAL)
    assert checked(twin, x, rows) == ()
    assert fitted(twin, x, rows, rounds=10)[-1] < 1


def test_focal_loss_trains_on_nonsense_without_a_word():
    import keras

    x, y = clusters()
    focal = keras.losses.CategoricalFocalCrossentropy
    wrong, right = dense(3, "softmax", focal()), dense(3, "softmax", focal())
    fitted(wrong, x, y[:, None], rounds=30)
    fitted(right, x, np.eye(3)[y], rounds=30)
    assert np.mean(wrong.predict(x, verbose=0).argmax(-1) == y) < 0.8
    assert np.mean(right.predict(x, verbose=0).argmax(-1) == y) == 1
    (finding,) = checked(wrong, x, y[:, None])
    assert finding.code == "FG622"
    assert finding.title.endswith("takes the numbers without an error")
    assert finding.fix.changes_results


def test_masks_of_images():
    assert judged((8, 8, 1), output(CATEGORICAL, (None, 8, 8, 3))).findings
    assert judged((8, 8), output(CATEGORICAL, (None, 8, 8, 3))).findings


def test_tf_keras_takes_numbers_for_a_divergence():
    out = output("kl_divergence")
    assert "without" in judged((), out, library="tf_keras 2.21.0").findings[0].title
    assert "without" not in judged((), out).findings[0].title


@pytest.mark.parametrize(
    ("shape", "out", "seen"),
    [
        ((3,), output(CATEGORICAL), Labels(integral=True, one_hot=True)),
        ((3,), output(CATEGORICAL), Labels(integral=False)),
        ((), output(CATEGORICAL), Labels(integral=False)),
        ((), output(CATEGORICAL, (None, 1)), Labels(integral=True)),
        ((), output("own", custom=True), Labels(integral=True)),
        ((), output(CATEGORICAL, None), Labels(integral=True)),
    ],
    ids=["one-hot", "shares", "fractions", "one-unit", "custom", "unknown"],
)
def test_not_this_check(shape, out, seen):
    assert judged(shape, out, seen).passed == ("FG622",)
