import numpy as np
import pytest
from checks.data.made_facts import facts_of, field
from checks.data.tiny_training import losses, of_words, only, regression, table, tokens

import fitguard
from fitguard.checks.framework.testing import run_data


def test_rows_of_different_lengths_stop_training():
    x, y = tokens()
    ragged = np.array([list(row[: 1 + number % 6]) for number, row in enumerate(x)], dtype=object)
    found = only(fitguard.check_data(of_words(), ragged, y), "FG607")
    assert found.severity == "error"
    assert "(list)" in found.title
    assert "pad_sequences(x" in found.fix.text
    with pytest.raises(ValueError, match="Invalid dtype: object"):
        losses(of_words(), ragged, y)


def test_padded_twin_trains_in_silence():
    import keras

    x, y = tokens()
    rows = [list(row[: 1 + number % 6]) for number, row in enumerate(x)]
    padded = keras.utils.pad_sequences(rows, maxlen=6, padding="post")
    model = of_words()
    assert fitguard.check_data(model, padded, y).findings == ()
    losses(model, padded, y)


def test_none_among_numbers_stops_training():
    x, y = table()
    gaps = x.astype(object)
    gaps[3, 2] = None
    found = only(fitguard.check_data(regression(), gaps, y), "FG607")
    assert "NoneType" in found.title
    with pytest.raises(ValueError, match="Invalid dtype: object"):
        losses(regression(), gaps, y)


def test_labels_and_weights_of_objects():
    x, y = table()
    assert (
        "y is an array"
        in only(fitguard.check_data(regression(), x, y.astype(object)), "FG607").title
    )
    with pytest.raises(ValueError, match="Invalid dtype: object"):
        losses(regression(), x, y.astype(object))


def test_frame_with_a_column_of_text_stops_training():
    import pandas as pd

    x, y = table(2)
    frame = pd.DataFrame({"size": x[:, 0], "town": ["Ulm", "Bonn"] * 32})
    found = only(fitguard.check_data(regression(2), frame, y), "FG607")
    assert "pandas.factorize" in found.fix.text
    with pytest.raises(ValueError, match="Invalid dtype: str"):
        losses(regression(2), frame, y)


def test_frame_of_numbers_trains_in_silence():
    import pandas as pd

    x, y = table(2)
    frame = pd.DataFrame({"size": x[:, 0].astype("float64"), "old": [True, False] * 32})
    assert fitguard.check_data(regression(2), frame, y).findings == ()
    losses(regression(2), frame, y)


@pytest.mark.parametrize(
    ("types", "remedy"),
    [
        (("float", "int"), "All are numbers"),
        (("str", "float"), "holds text"),
        (("Decimal",), "Make numbers"),
    ],
)
def test_fix_fits_what_is_there(types, remedy):
    one = field(dtype="object", python_types=types)
    assert remedy in run_data("FG607", facts_of(one)).findings[0].fix.text


@pytest.mark.parametrize("types", [(), ("str",), ("bytes",)])
def test_text_and_unknown_objects_are_not_judged(types):
    one = field(dtype="object", python_types=types)
    assert run_data("FG607", facts_of(one)).findings == ()


def dummies(dtype):
    import pandas as pd

    x, _ = table()
    frame = pd.DataFrame({"age": (10 * x[:, 0]).astype(dtype), "city": ["a", "b"] * 32})
    return pd.get_dummies(frame)


@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_numbers_beside_truth_values_stop_training(dtype):
    _, y = table()
    found = only(fitguard.check_data(regression(3), dummies(dtype), y), "FG607")
    assert "a frame of numbers of different kinds" in found.title
    assert "x.astype('float32')" in found.fix.text
    with pytest.raises(ValueError, match="Unsupported object type"):
        losses(regression(3), dummies(dtype), y)
    mended = dummies(dtype).astype("float32")
    assert fitguard.check_data(regression(3), mended, y).findings == ()
    losses(regression(3), mended, y)


def test_keras_casts_a_frame_with_float64():
    _, y = table()
    assert fitguard.check_data(regression(3), dummies("float64"), y).findings == ()
    losses(regression(3), dummies("float64"), y)


def test_columns_that_hold_no_numbers_are_named():
    import pandas as pd

    x, y = table()
    frame = pd.DataFrame(x, columns=["age", "fare", "class", "sex"])
    frame["sex"] = ["m", "f"] * 32
    found = only(fitguard.check_data(regression(), frame, y), "FG607")
    assert "column 'sex' holds no number" in found.title


@pytest.mark.parametrize(
    ("types", "remedy"),
    [
        (("int", "NAType"), "fillna"),
        (("float", "Timestamp"), "dates"),
        (("ndarray",), "numpy.stack(x)"),
    ],
)
def test_fix_by_the_types(types, remedy):
    data = facts_of(field(dtype="object", python_types=types))
    assert remedy in run_data("FG607", data).findings[0].fix.text
