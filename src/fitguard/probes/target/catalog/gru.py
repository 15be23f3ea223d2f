"""A GRU of Keras over sequences of different lengths, through cuDNN.

## What is done
The same as in `lstm`, for `tf.keras.layers.GRU`.

## How it is judged
As `lstm`.

## What a failure means
cuDNN's recurrent kernels do not start, or give wrong numbers: often a cuDNN that does not fit this
TensorFlow. `use_cudnn=False` (Keras 3) or `unroll=True` (Keras 2) avoids them.
"""

from .. import recurrent

NAME = "gru"
LEVEL = "medium"
SECONDS = 4
LIMIT_SECONDS = 180


def run(bench):
    """Compare."""
    return recurrent.check_layer(bench, recurrent.GRU)
