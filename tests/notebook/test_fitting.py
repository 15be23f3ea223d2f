"""What `fitguard.fit` refuses before anything runs."""

import functools

import numpy as np
import pytest

import fitguard
from fitguard.notebook.data import factories_in

X, Y = np.zeros((4, 2), "float32"), np.zeros((4, 1), "float32")


@pytest.fixture
def model():
    import keras

    made = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    made.compile(loss="mse")
    return made


def test_a_model_that_is_not_compiled(tmp_path):
    import keras

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    with pytest.raises(fitguard.UsageError, match="which is not compiled"):
        fitguard.fit(model, X, Y, runs_folder=tmp_path)


@pytest.mark.parametrize("wrong", [3, None, dict])
def test_what_is_no_model(wrong, tmp_path):
    with pytest.raises(fitguard.UsageError, match=r"fit\(model, x, y\)"):
        fitguard.fit(wrong, X, Y, runs_folder=tmp_path)


def test_an_argument_that_fit_does_not_have(model, tmp_path):
    with pytest.raises(fitguard.UsageError, match=r"the argument epoch, .* Expected epochs"):
        fitguard.fit(model, X, Y, epoch=3, runs_folder=tmp_path)


def test_generators_and_iterators_with_the_function_that_would_do(model, tmp_path):
    import tensorflow as tf

    iterator = iter(tf.data.Dataset.from_tensor_slices((X, Y)).batch(2))
    for data in (iterator, ((X, Y) for _ in range(3))):
        with pytest.raises(fitguard.UsageError, match=r"def make_dataset\(\):"):
            fitguard.fit(model, data, runs_folder=tmp_path)
    with pytest.raises(fitguard.UsageError, match="validation_data=make_dataset"):
        fitguard.fit(model, X, Y, validation_data=iterator, runs_folder=tmp_path)


def test_a_dataset_of_datasets_with_the_reason(model, tmp_path):
    import tensorflow as tf

    windows = tf.data.Dataset.range(4).window(2)
    with pytest.raises(
        fitguard.UsageError, match=r"x cannot be taken .*: its elements hold a Dataset"
    ):
        fitguard.fit(model, windows, runs_folder=tmp_path)
    assert not list((tmp_path / ".requests").iterdir())


def test_a_folder_that_cannot_be_written(model, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(fitguard.UsageError, match="Expected one that can be written"):
        fitguard.fit(model, X, Y, runs_folder=tmp_path / "file" / "runs")


def test_a_run_that_is_not_there(model, tmp_path):
    with pytest.raises(fitguard.UsageError, match="20260101-000000-fit-0000, which is no run"):
        fitguard.fit(model, X, Y, resume="20260101-000000-fit-0000", runs_folder=tmp_path)
    assert not list((tmp_path / ".requests").iterdir())


def test_functions_are_called_and_data_are_not():
    def make():
        return X

    arguments = {"x": make, "y": Y, "validation_data": functools.partial(make)}
    assert factories_in(arguments) == ["x", "validation_data"]
    assert factories_in({"x": X, "validation_data": (X, Y)}) == []
