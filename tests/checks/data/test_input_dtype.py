import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_training import losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def test_text_stops_training():
    x, y = table()
    text = x.astype(str)
    found = only(fitguard.check_data(regression(), text, y), "FG606")
    assert found.severity == "error"
    assert "x holds text" in found.title
    assert "'table'" in found.title
    assert any("such as" in item.text for item in found.evidence)
    with pytest.raises(ValueError, match="Invalid dtype: str"):
        losses(regression(), text, y)


def test_numeric_twin_trains_in_silence():
    x, y = table()
    model = regression()
    numbers = x.astype(str).astype("float32")
    assert fitguard.check_data(model, numbers, y).findings == ()
    losses(model, numbers, y)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "timedelta64[s]"])
def test_dates_stop_training(dtype):
    x, y = table()
    dates = (x * 1e9).astype("int64").astype(dtype)
    found = only(fitguard.check_data(regression(), dates, y), "FG606")
    assert "dates or time spans" in found.title
    with pytest.raises(ValueError, match="Invalid dtype: "):
        losses(regression(), dates, y)


def test_imaginary_parts_are_dropped():
    x, y = table()
    found = only(fitguard.check_data(regression(), x + 5j * x[::-1], y), "FG606")
    assert found.severity == "warning"
    assert losses(regression(), x + 5j * x[::-1], y) == losses(regression(), x, y)


def of_text():
    import keras

    reader = keras.layers.TextVectorization(max_tokens=10, output_sequence_length=4)
    reader.adapt(["a b c", "b c"])
    text = keras.Input((1,), dtype="string", name="text")
    words = keras.layers.Embedding(10, 2)(reader(text))
    model = keras.Model(text, keras.layers.Dense(1)(keras.layers.Flatten()(words)))
    model.compile("sgd", "mse")
    return model


def test_numpy_text_stops_even_a_model_of_text():
    import tensorflow as tf

    text, y = np.array(["a b", "c"] * 16), np.arange(32.0)[:, None] % 2
    model = of_text()
    found = only(fitguard.check_data(model, text, y), "FG606")
    assert "tf.constant(x)" in found.fix.text
    with pytest.raises(ValueError, match="Invalid dtype: str"):
        losses(model, text, y)
    assert fitguard.check_data(model, tf.constant(text), y).findings == ()
    losses(model, tf.constant(text), y)


def test_numbers_stop_a_model_of_text():
    x, y = table(1)
    found = only(fitguard.check_data(of_text(), x, y), "FG606")
    assert "numbers, and the input takes text" in found.title
    with pytest.raises(Exception, match="Cast float to string is not supported"):
        losses(of_text(), x, y)


def text_facts(kind, model=None, **more):
    one = field(**{"dtype": "object", "python_types": ("str",), "shape": (), **more})
    source = Source(kind=kind, container=kind)
    given = table_input(dtype="string", takes_text=True, shape=(None, 1))
    return facts_of(one, model=model or model_of(given), sources=(source,))


def test_text_that_keras_3_takes():
    assert run_data("FG606", text_facts("arrays")).findings == ()
    assert run_data("FG606", text_facts("dataset", dtype="<U3")).findings == ()
    legacy = model_of(table_input(dtype="string", takes_text=True), library="tf_keras 2.21.0")
    assert run_data("FG606", text_facts("arrays", legacy, dtype="<U3")).findings == ()


def test_text_from_pandas_or_a_generator_that_keras_3_refuses():
    assert run_data("FG606", text_facts("arrays", container="pandas.Series")).findings
    assert run_data("FG606", text_facts("generator")).findings


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "uint8", "bool", "int64", "unknown"])
def test_numbers_of_all_kinds_pass(dtype):
    assert run_data("FG606", facts_of(field(dtype=dtype))).findings == ()


def test_records_are_named():
    one = field(dtype="[('a', '<f4'), ('b', '<f4')]")
    assert "records" in run_data("FG606", facts_of(one)).findings[0].title


def test_text_for_unknown_inputs_is_not_judged():
    model = model_of(inputs=None, kind="subclassed")
    one = field(dtype="<U3", target=None)
    assert run_data("FG606", facts_of(one, model=model)).findings == ()
