"""The test of a mask that Keras makes before it hands it to cuDNN; it can be asked on a CPU."""

import importlib
from typing import Any

import numpy as np


def hand_to_cudnn(mask: np.ndarray) -> Any:
    """Raises what an LSTM or GRU of Keras 3 raises on a GPU for this mask."""
    import tensorflow as tf

    rnn = importlib.import_module("keras.src.backend.tensorflow.rnn")
    return rnn._assert_valid_mask(tf.constant(mask))
