import numpy as np
from checks.data.made_facts import facts_of, field
from checks.data.tiny_training import BATCH, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Columns


def moves(x, y):
    """How far each weight of the first layer moved, by column."""
    model = regression()
    before = model.get_weights()[0]
    losses(model, x, y)
    return model.get_weights()[0] - before


def test_the_weights_of_equal_columns_move_alike():
    x, y = table()
    x[:, 3] = x[:, 1]
    found = only(fitguard.check_data(regression(), x, y, batch_size=BATCH), "FG651")
    assert found.severity == "info"
    assert found.title == "1 of 4 columns of x repeat an earlier one: 3 (of 64 samples)"
    assert found.evidence[0].text == "column 3 equals column 1"
    assert "numpy.delete(x, [3], axis=1)" in found.fix.text
    moved = moves(x, y)
    np.testing.assert_allclose(moved[3], moved[1], atol=1e-6)


def test_healthy_twin_trains_in_silence():
    x, y = table()
    assert fitguard.check_data(regression(), x, y, batch_size=BATCH).findings == ()
    moved = moves(x, y)
    assert not np.allclose(moved[3], moved[1], atol=1e-3)


def test_constant_columns_are_judged_elsewhere():
    columns = Columns(constant=((1, 0.0), (3, 0.0)), duplicate=((3, 1),))
    assert run_data("FG651", facts_of(field(columns=columns))).findings == ()
