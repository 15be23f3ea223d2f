"""FG623: labels beyond 0 and 1 for a binary loss."""

import pytest
from checks.data.label_facts import BINARY, counted, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels, Place, Spotted

BEYOND = Spotted(50, (Place(sample=0, value="2"),))
ONE = output(BINARY, (None, 1), "sigmoid")


def judged(out=ONE, shape=(), **more):
    return run_data("FG623", data(out, labels(shape, outside=BEYOND, **more)))


def test_the_loss_falls_for_ever():
    x, y = clusters(2)
    model = dense(1, "sigmoid", BINARY)
    losses = fitted(model, x, y + 1, rounds=40)
    assert losses[-1] < losses[-2] < 0
    (finding,) = checked(model, x, y + 1)
    assert (finding.code, finding.severity) == ("FG623", "error")
    assert finding.title.startswith("48 values in y are not within 0 and 1")
    assert finding.evidence[0].text == "2 at sample 1"
    assert "y == 2" in finding.fix.text
    twin = dense(1, "sigmoid", BINARY)
    assert checked(twin, x, y) == ()
    assert min(fitted(twin, x, y, rounds=40)) > 0


def test_many_labels_at_once_are_fine():
    x, y = clusters()
    rows = (y[:, None] != [0, 1, 2]).astype("float32")
    model = dense(3, "sigmoid", BINARY)
    assert checked(model, x, rows) == ()
    assert 0 < fitted(model, x, rows, rounds=10)[-1] < 1


@pytest.mark.parametrize(
    ("minimum", "maximum", "seen", "said"),
    [
        (0, 255, counted((0, 50), (255, 50)), "y / 255"),
        (-1, 1, counted((-1, 50), (1, 50)), "0 and 1 of them: y == 1"),
        (0, 9, counted(*((digit, 10) for digit in range(10))), "10 units and softmax"),
        (-3.2, 8.1, Labels(integral=False), "loss='mse'"),
    ],
    ids=["mask", "signs", "classes", "quantities"],
)
def test_fix(minimum, maximum, seen, said):
    (finding,) = judged(minimum=minimum, maximum=maximum, labels=seen).findings
    assert said in finding.fix.text


def test_hinge():
    out = output("hinge", (None, 1), "linear")
    (finding,) = judged(out, minimum=1, maximum=2, labels=counted((1, 50), (2, 50))).findings
    assert "not within -1 and 1" in finding.title
    assert "2 * (y == 2) - 1" in finding.fix.text


@pytest.mark.parametrize(
    "out",
    [
        output("own", (None, 1), custom=True),
        output("mean_squared_error", (None, 1)),
        output(BINARY, (None, 4)),
    ],
    ids=["custom", "quantities", "other-shape"],
)
def test_not_this_check(out):
    assert judged(out, minimum=0, maximum=2).passed == ("FG623",)


def test_inside():
    assert run_data("FG623", data(ONE, labels(minimum=0, maximum=1))).passed == ("FG623",)
