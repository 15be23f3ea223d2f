"""Errors in one line, without what TensorFlow wraps around them."""

import pytest

from fitguard.inputs.sources.error_words import in_one_line


def raised(read):
    """What reading a dataset of four numbers raises."""
    import tensorflow as tf

    with pytest.raises(tf.errors.OpError) as caught:
        list(tf.data.Dataset.range(4).map(read))
    return in_one_line(caught.value)


def test_python_in_a_pipeline_is_named_itself():
    import tensorflow as tf

    def look(number):
        raise FileNotFoundError(f"image_{int(number)}.png")

    text = raised(lambda number: tf.py_function(look, [number], tf.float32))
    assert "FileNotFoundError: image_0.png" in text
    assert not any(word in text for word in ("Traceback", "node", "Iterator", "[Op:"))


def test_an_error_of_an_operation():
    import tensorflow as tf

    def small(number):
        tf.debugging.Assert(number < 0, ["too large"])
        return number

    text = raised(small)
    assert text.startswith("InvalidArgumentError: assertion failed: [too large]")


def test_errors_of_python_keep_their_words():
    assert in_one_line(ValueError("two\n  lines")) == "ValueError: two lines"
    assert in_one_line(StopIteration()) == "StopIteration"
    assert in_one_line(ValueError("[[{{node is mine")) == "ValueError: [[{{node is mine"
