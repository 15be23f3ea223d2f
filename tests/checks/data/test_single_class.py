"""FG629: one class only."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, MSE, SPARSE, counted, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels


def judged(out=None, **more):
    given = {"labels": counted((2, 100)), **more}
    return run_data("FG629", data(out or output(), labels(**given)))


def test_it_learns_to_always_say_the_same():
    x, y = clusters()
    model = dense(3, "softmax", SPARSE, rate=0.5)
    one = np.full_like(y, 2)
    assert fitted(model, x, one, rounds=20)[-1] < 0.01
    assert set(model.predict(x, verbose=0).argmax(-1)) == {2}
    (finding,) = checked(model, x, one)
    assert (finding.code, finding.severity) == ("FG629", "warning")
    assert finding.title.startswith("All labels in y are 2, the only class that out gets to see")
    twin = dense(3, "softmax", SPARSE, rate=0.5)
    assert checked(twin, x, y) == ()
    fitted(twin, x, y, rounds=20)
    assert set(twin.predict(x, verbose=0).argmax(-1)) == {0, 1, 2}


def test_beginning_of_a_stream():
    assert judged(samples=None).passed
    (finding,) = judged(samples=None, samples_seen=1000).findings
    assert finding.confidence == "medium"
    assert "of the 1,000 samples that were read" in finding.title


@pytest.mark.parametrize(
    ("out", "more"),
    [
        (output(MSE, (None, 1)), {}),
        (output("own", custom=True), {}),
        (output(ignore_class=2), {}),
        (None, {"samples": 10, "samples_seen": 10}),
        (None, {"labels": counted((0, 99), (1, 1))}),
        (None, {"labels": Labels(integral=True)}),
        (None, {"labels": None}),
    ],
    ids=["values", "custom", "ignored", "few", "two", "uncounted", "unread"],
)
def test_fine(out, more):
    assert judged(out, **more).passed == ("FG629",)


def test_binary():
    assert judged(output(BINARY, (None, 1), "sigmoid"), labels=counted((0, 100))).findings


def test_the_first_candidate_is_always_the_right_one():
    import keras

    class Near(keras.Model):
        def __init__(self):
            super().__init__()
            self.words = keras.layers.Embedding(50, 4)

        def call(self, pair):
            word, candidates = pair
            return keras.ops.einsum("be,bce->bc", self.words(word), self.words(candidates))

    rng = np.random.default_rng(0)
    x = (rng.integers(0, 50, 100), rng.integers(0, 50, (100, 4)))
    y = np.eye(4)[np.zeros(100, int)]
    model = Near()
    model.compile("sgd", keras.losses.CategoricalCrossentropy(from_logits=True))
    assert checked(model, x, y) == ()
    fitted(model, x, y, rounds=1)
