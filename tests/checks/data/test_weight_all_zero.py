import numpy as np
from checks.data.made_facts import facts_of, field, sampled, spotted
from checks.data.tiny_training import changed, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data


def test_nothing_moves():
    x, y = table()
    weights = np.zeros(len(x), "float32")
    model = regression(optimizer="adam")
    found = only(fitguard.check_data(model, x, y, sample_weight=weights), "FG648")
    assert found.severity == "error"
    assert "sample_weight is 0 everywhere (of 64 samples)" in found.title
    before = model.get_weights()
    assert losses(model, x, y, sample_weight=weights) == [0.0, 0.0]
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_healthy_twin_trains_in_silence():
    x, y = table()
    weights = changed(np.zeros(len(x), "float32"), (3,), 1.0)
    model = regression(optimizer="adam")
    assert fitguard.check_data(model, x, y, sample_weight=weights).findings == ()
    assert losses(model, x, y, sample_weight=weights)[0] > 0


def zero(**more):
    return field("sample_weight", minimum=0.0, maximum=0.0, **more)


def test_a_part_of_a_stream_is_a_warning():
    found = run_data("FG648", facts_of(sampled(zero()))).findings[0]
    assert found.severity == "warning"
    assert "of the 2,048 samples that were read" in found.title


def test_one_of_several_outputs_may_be_switched_off():
    facts = facts_of(zero(), field("sample_weight", name="sample_weight[1]", target="other"))
    assert run_data("FG648", facts).findings[0].severity == "warning"


def test_nan_among_them_and_nothing_seen_are_no_verdict():
    for one in (zero(nans=spotted(1)), field("sample_weight", samples_seen=0)):
        assert run_data("FG648", facts_of(one)).findings == ()
