"""The shape of a batch, without reading."""

import numpy as np
import pytest

from fitguard.inputs.sources.peeking import batch_shape


def test_arrays():
    import pandas as pd
    import tensorflow as tf

    rows = np.zeros((10, 4), "float32")
    for given in (rows, tf.constant(rows), pd.DataFrame(rows)):
        assert batch_shape(given) == (None, 4)
    assert batch_shape(tf.ragged.constant([[1], [2, 3]])) == (None, None)


def test_datasets():
    import tensorflow as tf

    rows = tf.data.Dataset.from_tensor_slices((np.zeros((10, 4)), np.zeros(10)))
    assert batch_shape(rows.batch(5)) == (None, 4)
    assert batch_shape(rows) is None
    assert batch_shape(rows.batch(5).map(lambda x, y: ((x, x), y))) is None


@pytest.mark.parametrize("given", [None, [np.zeros((10, 4))], {"a": np.zeros((10, 4))}, "text", 5])
def test_what_does_not_tell(given):
    assert batch_shape(given) is None
