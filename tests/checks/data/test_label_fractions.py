"""FG634: class numbers that are no whole numbers."""

import numpy as np
import pytest
from checks.data.label_facts import MSE, SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted, two_outputs

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import ClassCount, Labels, Place, Spotted

HALVES = Labels(integral=False, counts=(ClassCount(0.5, 60), ClassCount(1.0, 40)))


def judged(out=None, shape=(), **more):
    given = {"labels": HALVES, "minimum": 0.5, "maximum": 1.0, **more}
    return run_data("FG634", data(out or output(), labels(shape, **given)))


def test_fractions_are_cut_off():
    x, y = clusters()
    wrong, right = dense(3, "softmax", SPARSE), dense(3, "softmax", SPARSE)
    scaled = (y / 2).astype("float32")
    fitted(wrong, x, scaled, rounds=40)
    fitted(right, x, y, rounds=40)
    guesses = wrong.predict(x, verbose=0).argmax(-1)
    assert (guesses[y == 1] == 0).all()
    assert (guesses[y == 2] == 1).all()
    assert (right.predict(x, verbose=0).argmax(-1) == y).all()
    (finding,) = checked(wrong, x, scaled)
    assert (finding.code, finding.severity) == ("FG634", "error")
    assert any("0.5" in item.text for item in finding.evidence)
    assert "numpy.rint(y)" in finding.fix.text
    assert checked(right, x, y.astype("float32")) == ()


def test_places():
    spotted = Spotted(60, (Place(sample=3, value="0.5"),))
    (finding,) = judged(fractions=spotted).findings
    assert finding.evidence[0].text == "0.5 at sample 3"


def test_counts_where_places_are_not_known():
    (finding,) = judged().findings
    assert finding.evidence[0].text == "label 0.5, seen 60 times"


@pytest.mark.parametrize(
    ("out", "shape", "seen"),
    [
        (output(), (), Labels(integral=True)),
        (output(), (), Labels()),
        (output(), (), None),
        (output(), (3,), HALVES),
        (output(MSE, (None, 1)), (), HALVES),
        (output("own", custom=True), (), HALVES),
    ],
    ids=["whole", "unknown", "unread", "shares", "values", "custom"],
)
def test_not_this_check(out, shape, seen):
    assert judged(out, shape, labels=seen).passed == ("FG634",)


def test_tf_keras():
    import tf_keras

    x, y = clusters()
    model = dense(3, "softmax", SPARSE, keras=tf_keras)
    assert np.isfinite(fitted(model, x, (y / 2).astype("float32"))[-1])
    assert [finding.code for finding in checked(model, x, (y / 2).astype("float32"))] == ["FG634"]


def test_labels_in_the_order_of_another_output():
    x, y = clusters()
    model = two_outputs([SPARSE, "mse"])
    sizes = x[:, :1]
    found = [each for each in checked(model, x, [sizes, y]) if each.severity == "error"]
    assert [each.code for each in found] == ["FG634"]
    assert "order of the outputs: 'kind', 'size'" in found[0].fix.text
