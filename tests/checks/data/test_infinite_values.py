import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, spotted
from checks.data.tiny_training import BATCH, changed, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_input_makes_weights_nan(value):
    x, y = table()
    model = regression()
    bad = changed(x, (9, 3), value)
    found = only(fitguard.check_data(model, bad, y, batch_size=BATCH), "FG641")
    assert found.title.startswith("x holds 1 infinite value at sample 9, column 3")
    assert found.evidence[0].text == f"{value} at sample 9, column 3"
    losses(model, bad, y)
    assert all(np.isnan(weight).any() for weight in model.get_weights())


def test_an_infinite_label_makes_weights_nan():
    x, y = table()
    model = regression()
    bad = changed(y, (40, 0), np.inf)
    found = only(fitguard.check_data(model, x, bad, batch_size=BATCH), "FG641")
    assert "y holds 1 infinite value at sample 40" in found.title
    losses(model, x, bad)
    assert all(np.isnan(weight).any() for weight in model.get_weights())


def test_healthy_twin_trains_in_silence():
    x, y = table()
    model = regression()
    finite = changed(x, (9, 3), 3.0)
    assert fitguard.check_data(model, finite, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, finite, y)).all()


def test_validation_is_a_warning():
    found = run_data(
        "FG641", facts_of(field(), field("y", split="validation", infinities=spotted(2, 3)))
    ).findings[0]
    assert found.severity == "warning"
    assert found.title.startswith("validation y holds 2 infinite values, the first at sample 3")
