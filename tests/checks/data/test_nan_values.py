import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, price_output, sampled, spotted
from checks.data.tiny_training import BATCH, changed, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data

PASSES_NAN_ON = "tanh"  # on all CPUs; relu does so on some, and puts 0 on others


def with_nan(role):
    x, y = table()
    weights = np.ones(len(x), "float32")
    given = {"x": x, "y": y, "sample_weight": weights}
    place = (5, 2) if role == "x" else (5, 0) if role == "y" else (5,)
    return {**given, role: changed(given[role], place, np.nan)}


@pytest.mark.parametrize("role", ["x", "y", "sample_weight"])
def test_one_nan_makes_loss_and_weights_nan(role):
    model = regression(activation=PASSES_NAN_ON)
    data = with_nan(role)
    found = only(fitguard.check_data(model, **data, batch_size=BATCH), "FG640")
    assert found.severity == "error"
    assert "sample 5" in found.title
    assert role in found.title
    assert np.isnan(losses(model, **data, epochs=1)).all()
    assert all(np.isnan(weight).all() for weight in model.get_weights())


def test_the_loss_of_a_relu_may_hide_it_but_the_model_is_ruined():
    model = regression()
    data = with_nan("x")
    loss = losses(model, **data, epochs=1)[0]
    behind_the_nan = model.get_weights()[0][2]
    assert np.isnan(behind_the_nan).all()
    predicted = model.predict(table()[0], verbose=0)
    assert np.isnan(predicted).all() or np.ptp(predicted) == 0
    assert np.isnan(loss) == np.isnan(predicted).all()


def test_healthy_twin_trains_in_silence():
    model = regression()
    x, y = table()
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, x, y)).all()


def test_nan_in_validation_makes_only_val_loss_nan():
    model = regression(activation=PASSES_NAN_ON)
    x, y = table()
    other = changed(x + 0.5, (7, 1), np.nan), y
    found = only(fitguard.check_data(model, x, y, validation_data=other), "FG640")
    assert found.severity == "warning"
    assert found.title.startswith("validation x holds 1 nan at sample 7, column 1")
    history = model.fit(x, y, validation_data=other, verbose=0).history
    assert np.isfinite(history["loss"][0])
    assert np.isnan(history["val_loss"][0])


def test_place_in_a_stream_names_the_batch():
    one = sampled(field(nans=spotted(3, 1500, 2, batch=46)))
    found = run_data("FG640", facts_of(one)).findings[0]
    assert "x holds 3 nans, the first at sample 1,500, column 2, batch 46" in found.title
    assert "of the 2,048 samples that were read" in found.title
    assert "argwhere" not in found.fix.text


@pytest.mark.parametrize(
    "model",
    [
        model_of(custom_step=True),
        model_of(kind="subclassed"),
        model_of(outputs=(price_output(loss="mine", custom=True),)),
    ],
)
def test_own_code_may_take_care_of_nan_in_labels(model):
    found = run_data("FG640", facts_of(field("y", nans=spotted(1)), model=model)).findings[0]
    assert found.confidence == "medium"


def test_nothing_read_is_no_verdict():
    judged = run_data("FG640", facts_of(field(samples_seen=0)))
    assert judged.skipped[0].reason == "nothing of the data was read"
