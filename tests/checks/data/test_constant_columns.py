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
