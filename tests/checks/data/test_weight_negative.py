import numpy as np
from checks.data.made_facts import facts_of, field, spotted
from checks.data.tiny_training import losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


def test_negative_weights_drive_the_loss_below_0_and_then_to_nan():
    x, y = table()
    weights = np.where(np.arange(len(x)) < 10, 1.0, -1.0).astype("float32")
    model = regression()
    found = only(fitguard.check_data(model, x, y, sample_weight=weights), "FG647")
    assert found.severity == "warning"
    assert "sample_weight holds 54 negative weights, the first at sample 10" in found.title
    loss = losses(model, x, y, sample_weight=weights, epochs=30)
    assert min(loss[:3]) < 0
    assert np.isnan(loss[-1])


def test_healthy_twin_trains_in_silence():
    x, y = table()
    weights = np.where(np.arange(len(x)) < 10, 1.0, 0.0).astype("float32")
    model = regression()
    assert fitguard.check_data(model, x, y, sample_weight=weights).findings == ()
    loss = losses(model, x, y, sample_weight=weights, epochs=30)
    assert 0 < loss[-1] < loss[0]


def test_a_place_in_a_stream():
    one = field("sample_weight", minimum=-2.0, outside=spotted(1, 900, batch=28))
    found = run_data("FG647", facts_of(one)).findings[0]
    assert found.title.startswith("sample_weight holds 1 negative weight at sample 900, batch 28")
    assert "The lowest weight is -2" in found.fix.text


def test_without_weights_the_check_is_skipped():
    assert run_data("FG647", facts_of(field())).skipped[0].reason == "no sample weights are given"
