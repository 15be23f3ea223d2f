import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_training import losses, only, regression, table

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


def test_a_list_of_samples_is_no_list_of_inputs():
    x, y = table()
    found = only(fitguard.check_data(regression(), list(x), y), "FG604")
    assert found.title == "The model has 1 input, x has 64 arrays"
    assert "numpy.stack(x)" in found.fix.text
    with pytest.raises(ValueError, match="Data cardinality is ambiguous"):
        regression().fit(list(x), y, verbose=0)
    assert fitguard.check_data(regression(), np.stack(list(x)), y).findings == ()


def test_a_stream_of_inputs_side_by_side():
    import tensorflow as tf

    x, y = table()
    flat = tf.data.Dataset.from_tensor_slices((x, x[:, :2], y)).batch(16).prefetch(1)
    found = only(fitguard.check_data(two_inputs(), flat), "FG604")
    assert "(a, b), y" in found.fix.text
    with pytest.raises(ValueError, match="expects 2 named input"):
        two_inputs().fit(flat, verbose=0)


def test_one_dict_with_the_labels_in_it():
    import tensorflow as tf

    x, y = table()
    rows = tf.data.Dataset.from_tensor_slices({"table": x, "price": y}).batch(16).prefetch(1)
    report = fitguard.check_data(regression(), rows)
    assert [finding.code for finding in report.findings if finding.severity == "error"] == ["FG628"]
    assert "dataset.map(lambda row:" in report.findings[0].fix.text


def two_inputs():
    import keras

    parts = keras.Input((4,), name="a"), keras.Input((2,), name="b")
    model = keras.Model(parts, keras.layers.Dense(1)(keras.layers.Concatenate()(parts)))
    model.compile("sgd", "mse")
    return model
