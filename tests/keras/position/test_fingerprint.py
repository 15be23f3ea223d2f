import subprocess
import sys

import numpy as np
import pytest

from fitguard.keras.position import fingerprint

BATCH = """
import numpy as np, tensorflow as tf
from fitguard.keras.position import fingerprint
batch = ({"b": tf.constant([b"x", b"y"]), "a": tf.range(10.0)}, tf.ragged.constant([[1], [2, 3]]))
print(fingerprint([batch]))
"""


def test_the_same_in_another_process() -> None:
    import tensorflow as tf

    batch = (
        {"b": tf.constant([b"x", b"y"]), "a": tf.range(10.0)},
        tf.ragged.constant([[1], [2, 3]]),
    )
    other = subprocess.run(
        [sys.executable, "-c", BATCH], capture_output=True, text=True, check=True, timeout=300
    )
    assert other.stdout.strip() == fingerprint([batch])


@pytest.mark.parametrize("at", [0, 5000, 9999])
def test_a_changed_value_is_seen(at: int) -> None:
    array = np.zeros(10000, np.float32)
    changed = array.copy()
    changed[at] = 1
    assert fingerprint([array]) != fingerprint([changed])


def test_shape_type_and_number_count() -> None:
    zeros = np.zeros(6, np.float32)
    prints = {
        fingerprint([zeros]),
        fingerprint([zeros.reshape(2, 3)]),
        fingerprint([zeros.astype(np.int32)]),
        fingerprint([zeros, zeros]),
        fingerprint([]),
    }
    assert len(prints) == 5


def test_what_has_no_values_is_no_hindrance() -> None:
    import tensorflow as tf

    empty = tf.experimental.Optional.empty(tf.TensorSpec((), tf.int32))
    assert fingerprint([(empty, tf.zeros((0, 3)))]) == fingerprint([(empty, tf.zeros((0, 3)))])
