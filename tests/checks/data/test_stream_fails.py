import numpy as np
import pytest
from checks.data.made_facts import facts_of
from checks.data.tiny_streams import generator
from checks.data.tiny_training import only, regression

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Failure, Source


def failing():
    yield from generator(2)
    raise KeyError("row 17")


def test_generator_that_raises_stops_training():
    found = only(fitguard.check_data(regression(), failing()), "FG612")
    assert found.severity == "error"
    assert found.title == "Batch 2 of the generator cannot be read: KeyError: 'row 17'"
    with pytest.raises(Exception, match="row 17"):
        regression().fit(failing(), verbose=0)


def test_twin_without_the_error_trains_in_silence():
    report = fitguard.check_data(regression(), generator(2))
    assert report.findings == ()
    regression().fit(report.x, verbose=0)


def numbers(*texts):
    import tensorflow as tf

    def batch(text):
        return tf.ones((8, 4)) * tf.strings.to_number(text), tf.ones((8, 1))

    return tf.data.Dataset.from_tensor_slices(list(texts)).map(batch).prefetch(1)


def test_dataset_that_raises_stops_training():
    report = fitguard.check_data(regression(), numbers("1", "x", "3"))
    found = next(one for one in report.findings if one.code == "FG612")
    assert found.title.startswith("Batch 1 of the ")
    assert "could not correctly convert string: x" in found.evidence[0].text
    with pytest.raises(Exception, match="could not correctly convert string: x"):
        regression().fit(numbers("1", "x", "3"), verbose=0)
    assert "FG612" in fitguard.check_data(regression(), numbers("1", "2", "3")).passed


def test_validation_data_is_named_and_a_long_error_is_cut():
    source = Source(
        split="validation",
        kind="dataset",
        container="tf.data.Dataset",
        failure=Failure(41, "InvalidArgumentError: " + "long " * 100),
    )
    found = run_data("FG612", facts_of(sources=(source,))).findings[0]
    assert found.title.startswith("Batch 41 of the validation tf.data.Dataset cannot be read")
    assert len(found.title) < 200
    assert len(found.evidence[0].text) > 500


def test_what_tensorflow_wraps_around_an_error_is_taken_off():
    import tensorflow as tf

    def read(number):
        if number == 3:
            raise KeyError("record 3")
        return np.zeros(4, "float32")

    def load(number):
        x = tf.py_function(read, [number], tf.float32)
        return tf.ensure_shape(x, (4,)), tf.zeros(1)

    stream = tf.data.Dataset.range(8).map(load).batch(2).prefetch(1)
    found = only(fitguard.check_data(regression(), stream), "FG612")
    assert found.title.endswith("cannot be read: KeyError: 'record 3'")


def test_samples_of_different_lengths():
    import tensorflow as tf

    rows = tf.data.Dataset.range(1, 5).map(lambda number: (tf.zeros([number]), [0.0]))
    found = only(fitguard.check_data(regression(), rows.batch(2).prefetch(1)), "FG612")
    assert "Cannot batch tensors with different shapes" in found.title
    assert "padded_batch(n)" in found.fix.text
