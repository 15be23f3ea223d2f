import ml_dtypes
import numpy as np
import pandas
import pytest
from notebook.parcel.sending import Sent

from fitguard.state.not_carried import CannotCarry

LARGE = np.arange(3000, dtype="float32").reshape(60, 50)


@pytest.mark.parametrize(
    "array",
    [
        LARGE,
        np.asfortranarray(LARGE),
        LARGE[::2, 1::3],
        np.array(1.5),
        np.array([], dtype="int8"),
        LARGE.astype(ml_dtypes.bfloat16),
        LARGE[:2].astype(ml_dtypes.bfloat16),
        np.array(["a", "bcd"]),
        np.array(["2026-01-01", "NaT"], dtype="datetime64[ns]"),
        np.array([(1, 2.5)] * 300, dtype=[("a", "i4"), ("b", "f8")]),
        np.array([["a", None], [3, (1, 2)]], dtype=object),
        LARGE > 7,
    ],
    ids=lambda array: f"{array.dtype.name[:12]}-{array.shape}",
)
def test_an_array_comes_over_as_it_was(array, tmp_path):
    received = Sent(array, tmp_path).value
    assert type(received) is np.ndarray
    assert (received.dtype, received.shape) == (array.dtype, array.shape)
    assert received.tolist() == array.tolist()


def test_a_large_one_is_mapped_and_written_once(tmp_path):
    sent = Sent({"x": LARGE, "again": LARGE}, tmp_path)
    assert sent.value["x"] is sent.value["again"]
    assert isinstance(sent.value["x"].base, np.memmap)
    assert len(list((tmp_path / "there").glob("*.npy"))) == 1
    assert len(sent.text) < 1000


def test_a_map_of_the_users_own_is_not_copied(tmp_path):
    path = tmp_path / "own.dat"
    mapped = np.memmap(path, "int32", "w+", offset=4096 + 8, shape=(100, 20))
    mapped[:] = np.arange(2000).reshape(100, 20)
    rows = mapped[10:90]
    received = Sent([mapped, rows, np.asarray(rows)], tmp_path).value
    for array, expected in zip(received, (mapped, rows, rows), strict=True):
        assert np.array_equal(array, expected)
    assert not list((tmp_path / "there").glob("*.npy"))


def test_what_was_written_over_there_comes_back_and_only_that(tmp_path):
    changed, same = LARGE.copy(), LARGE.copy()
    sent = Sent([changed, same], tmp_path)
    sent.value[0][3, 4] = -1
    received = sent.back(sent.value)
    assert received[0] is changed
    assert received[1] is same
    assert changed[3, 4] == -1
    assert len(list((tmp_path / "back").glob("*.npy"))) == 1


def test_writing_over_there_leaves_the_file_and_this_side_alone(tmp_path):
    path = tmp_path / "own.npy"
    np.save(path, LARGE)
    mapped = np.load(path, mmap_mode="r")
    Sent(mapped, tmp_path).value[0, 0] = -5
    assert np.load(path)[0, 0] == 0


def frame():
    return pandas.DataFrame(
        {
            "number": [1.5, None, 3.0],
            "text": ["a", None, "c"],
            "kind": pandas.Categorical(["x", "y", "x"], categories=["y", "x"], ordered=True),
            "day": pandas.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"]),
            "zoned": pandas.to_datetime(["2026-01-01"] * 3).tz_localize("Europe/Berlin"),
            "whole": pandas.array([1, None, 3], dtype="Int64"),
        },
        index=pandas.Index([10, 20, 30], name="id"),
    )


def test_a_frame_comes_over_as_it_was(tmp_path):
    received = Sent(frame(), tmp_path).value
    pandas.testing.assert_frame_equal(received, frame())


def test_a_series_and_columns_of_the_same_name(tmp_path):
    table = pandas.DataFrame(np.ones((2, 2)), columns=["a", "a"])
    series, received = Sent([frame()["number"], table], tmp_path).value
    pandas.testing.assert_series_equal(series, frame()["number"])
    pandas.testing.assert_frame_equal(received, table)


def test_an_index_with_levels_and_large_columns_that_are_mapped(tmp_path):
    table = frame().set_index("text", append=True)
    large = pandas.DataFrame(LARGE)
    received, mapped = Sent([table, large], tmp_path).value
    pandas.testing.assert_frame_equal(received, table)
    pandas.testing.assert_frame_equal(mapped, large)
    assert len(list((tmp_path / "there").glob("*.npy"))) == 1


def test_tensors_variables_and_types(tmp_path):
    import tensorflow as tf

    variable = tf.Variable([1.0, 2.0])
    value = [
        tf.constant([[1, 2]]),
        tf.constant(["a"]),
        variable,
        tf.float16,
        tf.TensorShape([1, None]),
    ]
    sent = Sent(value, tmp_path)
    numbers, texts, received, dtype, shape = sent.value
    assert numbers.numpy().tolist() == [[1, 2]]
    assert texts.numpy().tolist() == [b"a"]
    assert (dtype, shape.as_list()) == (tf.float16, [1, None])
    assert received.trainable
    received.assign([3.0, 4.0])
    sent.back(sent.value)
    assert variable.numpy().tolist() == [3.0, 4.0]


def test_a_large_tensor_is_mapped(tmp_path):
    import tensorflow as tf

    received = Sent(tf.constant(LARGE), tmp_path).value
    assert np.array_equal(received.numpy(), LARGE)
    assert len(list((tmp_path / "there").glob("*.npy"))) == 1


def test_a_dataset_that_nobody_feeds_is_refused(tmp_path):
    import tensorflow as tf

    with pytest.raises(CannotCarry, match="value cannot be taken to the training process"):
        Sent(tf.data.Dataset.range(3), tmp_path)
