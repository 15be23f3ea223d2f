# -*- coding: utf-8 -*-
"""A training step in mixed precision.

## What is done
A small network of Keras takes one step with the policy `mixed_float16`: it computes in float16,
keeps its weights in float32, and scales the loss. The same step is taken in float64 on the CPU,
without Keras, from the same weights. The policy holds in the process of the probe alone.

## How it is judged
As `fit-step`, with u = 2⁻¹¹ for float16: each array of weights may have moved by 2 % of its
largest change more or less. A gradient that is not finite makes Keras leave out the step, and the
weights do not move at all: that is found as well.

## What a failure means
The tensor cores give wrong numbers, or Keras' loss scaling does not work here. `fit-step` tells
whether float32 is sound.
"""

from ..bench import Skip
from ..training import Training, can_compile, open_keras

NAME = "mixed-precision"
LEVEL = "medium"
SECONDS = 5
LIMIT_SECONDS = 240


def run(bench):
    """One step under the policy, compared with one by hand."""
    keras = open_keras(bench)
    switch = _find_switch(keras)
    if switch is None:
        raise Skip("TensorFlow %s has no policy mixed_float16" % bench.tf.__version__)
    arguments = {"jit_compile": False} if can_compile(keras) else {}
    switch("mixed_float16")
    try:
        return Training(bench, steps=1).check_fit(bench, keras, "float16", **arguments)
    finally:
        switch("float32")


def _find_switch(keras):
    """What sets the policy of this process: it had another name before TensorFlow 2.4."""
    place = getattr(keras, "mixed_precision", None)
    found = getattr(place, "set_global_policy", None)
    return found or getattr(getattr(place, "experimental", None), "set_policy", None)
