# -*- coding: utf-8 -*-
"""An LSTM of Keras over sequences of different lengths, through cuDNN.

## What is done
`tf.keras.layers.LSTM` runs on the device in float32 (TF32 is off), inside a `tf.function` as in
training, with a mask for sequences that are padded on the right; and its gradients by inputs and
weights. On a GPU Keras takes cuDNN for that; the result says whether it did. The equations of the
LSTM are computed in float64 on the CPU, and compared.

## How it is judged
As in `matmul-float32`, one sum of n terms may be off by 4 · (2u + u√n) of the largest element. The
steps of a sequence stand one upon another. Their errors are independent, so T steps allow √T times
that: 3 · 10⁻⁵ for 32 steps of 384 terms. Outputs after the end of a sequence are not compared.

## What a failure means
cuDNN's recurrent kernels do not start, or give wrong numbers: often a cuDNN that does not fit this
TensorFlow. `use_cudnn=False` (Keras 3) or `unroll=True` (Keras 2) avoids them.
"""

from .. import recurrent

NAME = "lstm"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 180


def run(bench):
    """Compare."""
    return recurrent.check_layer(bench, recurrent.LSTM)
