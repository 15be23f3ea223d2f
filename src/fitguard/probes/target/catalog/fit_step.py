# -*- coding: utf-8 -*-
"""`model.fit` takes a few real steps.

## What is done
A small network of Keras (two convolutions, two dense layers, no dropout) is trained on the device
with `model.fit` for four steps of SGD with momentum, with `jit_compile=False` and TF32 off. The
same steps are taken in float64 on the CPU, without Keras, from the same weights.

## How it is judged
Compared is how far each array of weights has moved. As in `matmul-float32`, one sum of n terms may
be off by 4 · (2u + u√n) of the largest element. Each of 4 layers rounds three times forward and
three times backward (sum, bias, activation), in each of 4 steps. Such errors are independent: √96
times that, which is 2 · 10⁻⁴. To it comes the rounding of the weights, which are larger than their
change.

## What a failure means
Training gives wrong weights on this device, though it may look as always. If the probes of single
operations pass, it is their interplay: Keras, the optimizer, or how data comes to the device.
"""

from .. import arithmetic
from ..training import Training, can_compile, open_keras

NAME = "fit-step"
LEVEL = "quick"
SECONDS = 5
LIMIT_SECONDS = 240


def run(bench):
    """Train on both sides, and compare."""
    arithmetic.allow_tf32(bench.tf, False)
    keras = open_keras(bench)
    without = {"jit_compile": False} if can_compile(keras) else {}
    return Training(bench).check_fit(bench, keras, "float32", **without)
