"""What the data adapters of Keras were given."""

from typing import Any

import numpy as np
import pytest

from fitguard.contract.data_adapters import feed_of

ROWS = np.arange(8.0)[:, None]


def of_keras3(*data: Any, **named: Any) -> Any:
    from keras.src.trainers.data_adapters import get_data_adapter

    return get_data_adapter(*data, **named)


def of_keras2(*data: Any, **named: Any) -> Any:
    from tf_keras.src.engine import data_adapter

    return data_adapter.DataHandler(*data, **named)._adapter


@pytest.mark.parametrize("adapter", [of_keras3, of_keras2])
@pytest.mark.parametrize("shuffle", [True, False])
def test_arrays(adapter: Any, shuffle: bool) -> None:
    assert feed_of(adapter(ROWS, shuffle=shuffle, batch_size=4)) == ("arrays", shuffle, None)


def test_python_data() -> None:
    import keras
    import tf_keras

    class Batches(keras.utils.PyDataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, _: int) -> Any:
            return ROWS, ROWS

    class Sequence(tf_keras.utils.Sequence):
        __len__, __getitem__ = Batches.__len__, Batches.__getitem__

    batches, sequence = Batches(), Sequence()
    assert feed_of(of_keras3(batches, shuffle=True)) == ("PyDataset", True, batches)
    assert feed_of(of_keras2(sequence, shuffle=False)) == ("Sequence", False, sequence)


@pytest.mark.parametrize("adapter", [of_keras3, of_keras2])
def test_what_is_read_as_it_is(adapter: Any) -> None:
    import tensorflow as tf

    assert feed_of(adapter((rows, rows) for rows in [ROWS])).given == "generator"
    assert feed_of(adapter(tf.data.Dataset.range(3).batch(2))).given == "other"
