"""FG630: nearly all samples of one class."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, MSE, SPARSE, counted, data, labels, output
from checks.data.label_models import checked, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Field, Training

RARE = counted((0, 95), (1, 5))
ONE = output(BINARY, (None, 1), "sigmoid")


def judged(out=ONE, shape=(), seen=RARE, *, training=None, more=(), **field):
    given = labels(shape, labels=seen, **field)
    return run_data("FG630", data(out, given, *more, training=training))


def noisy(rare):
    """Two overlapping classes, of 200 samples."""
    rng = np.random.default_rng(0)
    y = (np.arange(200) < rare).astype("int64")
    return (rng.normal(size=(200, 4)) + 0.5 * y[:, None]).astype("float32"), y


def test_accuracy_without_ever_finding_the_rare_class():
    x, y = noisy(10)
    model = dense(1, "sigmoid", BINARY, metrics=["accuracy"])
    fitted(model, x, y, rounds=20)
    assert model.evaluate(x, y, verbose=0)[1] == pytest.approx(0.95)
    assert not (model.predict(x, verbose=0)[y == 1] > 0.5).any()
    (finding,) = checked(model, x, y)
    assert (finding.code, finding.severity) == ("FG630", "info")
    assert finding.title.startswith("Class 0 has 95 % of the labels in y")
    assert "class_weight={0: 0.526, 1: 10}" in finding.fix.text
    x, y = noisy(100)
    twin = dense(1, "sigmoid", BINARY)
    assert checked(twin, x, y) == ()
    fitted(twin, x, y, rounds=20)
    assert (twin.predict(x, verbose=0)[y == 1] > 0.5).any()


def test_one_hot():
    out = output("categorical_crossentropy", (None, 2))
    seen = counted((0, 95), (1, 5), one_hot=True)
    assert judged(out, (2,), seen).findings


def test_losses_that_are_made_for_rare_classes():
    out = output("binary_focal_crossentropy", (None, 1), "sigmoid", from_logits=False)
    assert judged(out).passed == ("FG630",)


WEIGHTS = Field(
    role="sample_weight", name="sample_weight", container="numpy.ndarray", dtype="f4", shape=()
)
REUTERS = counted((3, 35), *((number, 1) for number in range(4, 49)), (49, 20))


@pytest.mark.parametrize(
    "given",
    [
        {"seen": counted((0, 89), (1, 11))},
        {"seen": counted((0, 100))},
        {"seen": REUTERS, "out": output(SPARSE, (None, 50))},
        {"samples": 50, "samples_seen": 50, "seen": counted((0, 49), (1, 1))},
        {"training": Training(class_weight={0: 1.0, 1: 20.0})},
        {"more": (WEIGHTS,)},
        {"shape": (8, 8, 1), "out": output(BINARY, (None, 8, 8, 1), "sigmoid")},
        {"shape": (4,), "out": output(BINARY, (None, 4), "sigmoid")},
        {"out": output(MSE, (None, 1))},
        {"out": output("own", custom=True)},
        {"seen": None},
    ],
    ids=[
        "89-percent", "one", "reuters", "few", "class-weight", "sample-weight", "pixels",
        "many-labels", "values", "custom", "unread",
    ],
)  # fmt: skip
def test_fine(given):
    assert judged(**given).passed == ("FG630",)


def test_ignored_class_does_not_count():
    assert not judged(output(ignore_class=0), seen=counted((0, 95), (1, 3), (2, 2))).findings
