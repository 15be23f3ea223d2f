"""FG620: class numbers beyond the units of the output."""

import numpy as np
import pytest
from checks.data.label_facts import CATEGORICAL, SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, codes, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels, Place, Spotted

BEYOND = Spotted(2, (Place(sample=7, value="3"), Place(sample=9, batch=1, value="3")))


def judged(field, out=None, **more):
    return run_data("FG620", data(out or output(), field, **more))


def test_training_stops_and_the_sample_is_named():
    x, y = clusters()
    model = dense(3, "softmax", SPARSE)
    assert checked(model, x, y) == ()
    assert fitted(model, x, y, rounds=10)[-1] < 1
    y[41] = 3
    with pytest.raises(Exception, match="label value of 3 which is outside the valid range"):
        fitted(model, x, y)
    (finding,) = checked(model, x, y)
    assert (finding.code, finding.severity) == ("FG620", "error")
    assert finding.title == "1 label lies in y outside the 3 classes of out (of 96 samples)"
    assert finding.evidence[0].text == "3 at sample 41"
    assert "needs 4 units" in finding.fix.text


def test_ignore_class_may_lie_outside():
    import keras

    x, y = clusters()
    y[5] = -1
    model = dense(3, "softmax", keras.losses.SparseCategoricalCrossentropy(ignore_class=-1))
    assert checked(model, x, y) == ()
    assert fitted(model, x, y, rounds=10)[-1] < 1


def test_counted_from_one():
    (finding,) = judged(labels(outside=BEYOND, minimum=1, maximum=3)).findings
    assert "y - 1" in finding.fix.text
    assert [item.text for item in finding.evidence[:2]] == [
        "3 at sample 7",
        "3 at sample 9, batch 1",
    ]


def test_negative():
    (finding,) = judged(labels(outside=BEYOND, minimum=-1, maximum=2)).findings
    assert "ignore_class=-1" in finding.fix.text


def test_part_of_a_stream():
    field = labels(outside=BEYOND, minimum=0, maximum=3, samples=None)
    assert judged(field).findings[0].title.endswith("(of the 100 samples that were read)")


def test_second_output():
    both = (output(name="kind"), output(name="mood"))
    fields = (
        labels(name="y[0]", target="kind"),
        labels(name="y[1]", target="mood", outside=BEYOND, minimum=0, maximum=3),
    )
    (finding,) = run_data("FG620", data(both, *fields)).findings
    assert "in y[1] outside the 3 classes of mood" in finding.title


def test_unknown_units():
    field = labels(outside=BEYOND, minimum=-2, maximum=3)
    (finding,) = judged(field, output(shape=None)).findings
    assert "outside the classes of out" in finding.title


@pytest.mark.parametrize(
    "out",
    [
        output("my_loss", custom=True),
        output("mean_squared_error"),
        output(shape=(None, 1)),
        output(shape=(None, 5, 3)),
    ],
    ids=["custom", "other-loss", "one-unit", "other-shape"],
)
def test_not_this_check(out):
    assert judged(labels(outside=BEYOND, minimum=0, maximum=3), out).passed == ("FG620",)


def test_own_training_step():
    judgement = judged(labels(outside=BEYOND), custom_step=True)
    assert judgement.skipped[0].reason == "the model computes its loss in code of its own"


@pytest.mark.parametrize(
    ("lowest", "highest", "distinct", "remedy"),
    [
        (-1.0, 1.0, 2, "(y + 1) // 2"),
        (-1.0, 1.0, 3, "ignore_class=-1"),
        (-2147483648.0, 1.0, 3, "what a nan becomes"),
        (0.0, 255.0, 3, "ignore_class=255"),
    ],
)
def test_fix_by_the_values(lowest, highest, distinct, remedy):
    seen = labels(
        minimum=lowest,
        maximum=highest,
        outside=Spotted(5),
        labels=Labels(integral=True, distinct=distinct),
    )
    two = output(SPARSE, (None, 2))
    assert remedy in run_data("FG620", data(two, seen)).findings[0].fix.text


def test_a_chain_that_is_not_built_tells_its_classes():
    import keras

    x, y = clusters()
    for loss, given, code in (
        (SPARSE, y + 1, "FG620"),
        (SPARSE, np.eye(3)[y], "FG621"),
        (CATEGORICAL, y, "FG622"),
    ):
        layers = [keras.layers.Dense(4), keras.layers.Dense(3, activation="softmax")]
        model = keras.Sequential(layers)
        model.compile("adam", loss)
        assert codes(model, x, given) == [code]
        assert not model.built


def test_class_numbers_and_rows_for_a_subclassed_model():
    import keras

    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.last = keras.layers.Dense(3, activation="softmax")

        def call(self, inputs):
            return self.last(inputs)

    x, y = clusters()
    rows = np.eye(3, dtype="float32")[y]
    for loss, wrong, code, right in (
        (SPARSE, rows, "FG621", y),
        (CATEGORICAL, y, "FG622", rows),
    ):
        model = Own()
        model.compile("adam", loss)
        assert codes(model, x, wrong) == [code]
        with pytest.raises(ValueError, match="rank"):
            model.fit(x, wrong, verbose=0)
        assert codes(model, x, right) == []
