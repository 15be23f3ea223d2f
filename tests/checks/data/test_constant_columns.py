import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, sampled, token_input
from checks.data.tiny_training import BATCH, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Columns

CONSTANT = Columns(constant=((2, 0.0),))


def test_the_weights_of_a_column_of_zeros_stay_random():
    x, y = table()
    x[:, 2] = 0
    model = regression()
    found = only(fitguard.check_data(model, x, y, batch_size=BATCH), "FG650")
    assert found.severity == "info"
    assert found.title == "1 of 4 columns of x never change: 2 (of 64 samples)"
    assert found.evidence[0].text == "column 2 is 0 everywhere"
    before = model.get_weights()[0]
    losses(model, x, y)
    still = (model.get_weights()[0] == before).all(axis=1)
    np.testing.assert_array_equal(still, [False, False, True, False])
    later = x.copy()
    later[:, 2] = 50
    assert np.ptp(model.predict(later, verbose=0) - model.predict(x, verbose=0)) > 1


def test_healthy_twin_trains_in_silence():
    x, y = table()
    model = regression()
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    before = model.get_weights()[0]
    losses(model, x, y)
    assert (model.get_weights()[0] != before).any(axis=1).all()


@pytest.mark.parametrize(
    "one",
    [
        field(columns=CONSTANT, samples=20, samples_seen=20),
        field(columns=CONSTANT, shape=(784,)),
        sampled(field(columns=CONSTANT)),
        field(columns=None),
    ],
    ids=["few samples", "an image", "part of a stream", "not looked at"],
)
def test_silence(one):
    assert run_data("FG650", facts_of(one)).findings == ()


def test_indices_are_no_quantities():
    facts = facts_of(field(columns=CONSTANT), model=model_of(token_input()))
    assert run_data("FG650", facts).findings == ()


def test_a_long_part_of_a_stream_is_enough_and_many_columns_are_cut_short():
    many = Columns(constant=tuple((column, 1.0) for column in range(20)))
    one = field(columns=many, shape=(30,), samples=None, samples_seen=20_000)
    found = run_data("FG650", facts_of(one)).findings[0]
    assert "20 of 30 columns of x never change: 0, 1, 2, 3, 4, 5, 6, … 19" in found.title
    assert len(found.evidence) == 6


def words_and_sizes():
    """Twelve columns of 0 and 1, the first of a category that does not occur, and two sizes."""
    x = (np.random.default_rng(7).random((64, 14)) < 0.3).astype("float32")
    x[:, 0] = 0
    x[:, 12:] = table(2)[0]
    return x, table()[1]


def test_a_category_that_does_not_occur_is_usual():
    x, y = words_and_sizes()
    report = fitguard.check_data(regression(14), x, y, batch_size=BATCH)
    assert report.findings == ()
    assert report.facts.fields[0].columns.constant == ((0, 0.0),)
    assert report.facts.fields[0].columns.from_zero == 11
    losses(regression(14), x, y)


def test_among_categories_other_constants_are_found():
    x, y = words_and_sizes()
    x[:, 3] = 1
    found = only(fitguard.check_data(regression(14), x, y, batch_size=BATCH), "FG650")
    assert found.title == "1 of 14 columns of x never change: 3 (of 64 samples)"


@pytest.mark.parametrize(("length", "dtype"), [(None, "int64"), (6, "int64"), (None, "float32")])
def test_steps_of_a_sequence_are_no_quantities(length, dtype):
    import keras

    class Positions(keras.layers.Layer):
        def build(self, shape):
            self.words = self.add_weight(shape=(20, 4))
            super().build(shape)

        def call(self, tokens):
            return keras.ops.mean(keras.ops.take(self.words, keras.ops.cast(tokens, "int32"), 0), 1)

    tokens = keras.Input((length,), dtype=dtype)
    model = keras.Model(tokens, keras.layers.Dense(1)(Positions()(tokens)))
    model.compile("sgd", "mse")
    x = np.random.default_rng(7).integers(2, 20, size=(64, 6))
    x[:, 5] = 1
    assert fitguard.check_data(model, x, table()[1], batch_size=BATCH).findings == ()
    losses(model, x, table()[1])
