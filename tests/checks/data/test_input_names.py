import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_training import losses, only, table

import fitguard
from fitguard.checks.framework.testing import run_data


def of_two_inputs():
    import keras

    left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
    both = keras.layers.Concatenate()([left, right])
    model = keras.Model([left, right], keras.layers.Dense(1)(both))
    model.compile("sgd", "mse")
    return model


def parts():
    x, y = table(8)
    return x[:, :4], x[:, 4:], y


def test_missing_key_stops_training():
    left, right, y = parts()
    data = {"left": left, "rigth": right}
    found = only(fitguard.check_data(of_two_inputs(), data, y), "FG604")
    assert found.severity == "error"
    assert "nothing goes to 'right'" in found.title
    with pytest.raises(ValueError, match='Missing data for input "right"'):
        losses(of_two_inputs(), data, y)


def test_too_few_and_too_many_arrays_stop_training():
    left, right, y = parts()
    for data, received in ((left, 1), ([left, right, left], 3)):
        found = only(fitguard.check_data(of_two_inputs(), data, y), "FG604")
        assert f"The model has 2 inputs, x has {received} array" in found.title
        with pytest.raises(ValueError, match=f"received {received} input tensors"):
            losses(of_two_inputs(), data, y)


def test_surplus_key_is_never_seen_by_the_model():
    left, right, y = parts()
    data = {"left": left, "right": right, "weather": left}
    found = only(fitguard.check_data(of_two_inputs(), data, y), "FG604")
    assert found.severity == "info"
    assert "x['weather'] goes to no input" in found.title
    model = of_two_inputs()
    start = model.get_weights()
    with_it = losses(model, data, y, shuffle=False)
    model.set_weights(start)
    assert np.allclose(with_it, losses(model, {**data, "weather": left * 9}, y, shuffle=False))


def test_healthy_twins_train_in_silence():
    left, right, y = parts()
    for data in ({"left": left, "right": right}, [left, right]):
        model = of_two_inputs()
        assert fitguard.check_data(model, data, y).findings == ()
        losses(model, data, y)


def test_optional_input_may_be_missing():
    optional = table_input(name="more", optional=True)
    data = facts_of(field(name="x[0]"), model=model_of(table_input(), optional))
    assert run_data("FG604", data).findings == ()


def test_unknown_inputs_are_not_judged():
    for model in (model_of(inputs=None), model_of(kind="subclassed"), model_of(built=False)):
        judged = run_data("FG604", facts_of(field(target=None), model=model))
        assert judged.findings == ()
        assert "does not tell its inputs" in judged.skipped[0].reason
