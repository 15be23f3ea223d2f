"""`model.fit` takes a few real steps, compiled with XLA.

## What is done
The same as in `fit-step`, with `jit_compile=True`: what Keras 3 does by default where there is a
GPU. The first step takes long, because XLA tries kernels (on an H200 up to two minutes).

## How it is judged
As `fit-step`. On a GPU, TF32 stays as TensorFlow has it by default, on: without it, the XLA of
TensorFlow 2.21 finds no kernel of cuDNN 9.3 for a convolution with its bias on an H200.

## What a failure means
If `fit-step` passes, XLA is at fault: train with `jit_compile=False`. Often a part of the CUDA
toolkit is missing that XLA needs (`ptxas`, `libdevice`); the log of the probe names it.
"""

import time

from ..bench import Skip
from ..training import Training, can_compile, open_keras

NAME = "fit-xla"
LEVEL = "medium"
SECONDS = 60
LIMIT_SECONDS = 400


def run(bench):
    """Train on both sides, and compare."""
    keras = open_keras(bench)
    if not can_compile(keras):
        raise Skip("`compile` of this Keras has no argument `jit_compile`")
    began = time.time()
    kind = "tf32" if bench.on_gpu else "float32"
    found = Training(bench).check_fit(bench, keras, kind, jit_compile=True)
    return "%s, in %.1f s with compiling" % (found, time.time() - began)
