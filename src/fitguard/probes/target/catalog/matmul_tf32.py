# -*- coding: utf-8 -*-
"""Matrices of float32 are multiplied in TF32.

## What is done
TensorFlow computes float32 in TF32 by default where the GPU can (Ampere and newer): the tensor
cores take only 10 of the 23 bits of a mantissa. Two matrices are multiplied so, and compared with
the product in float64 on the host. Then larger ones are multiplied to measure the rate. On a CPU,
and on an older GPU, the product is plain float32, and the probe says so.

## How it is judged
As `matmul-float32`, but what goes in is cut to TF32: u = 2⁻¹⁰ for it, while sums are float32. Each
element may differ by 4 · (2 · 2⁻¹⁰ + 2⁻²⁴√n) of the largest one: 0.8 %.

## What a failure means
The tensor cores, or cuBLAS on them, give wrong numbers. If `matmul-float32` passes, turn TF32 off
with `tf.config.experimental.enable_tensor_float_32_execution(False)` until the cause is found.
"""

from .. import arithmetic
from ..bench import Skip

NAME = "matmul-tf32"
LEVEL = "medium"
SECONDS = 3
LIMIT_SECONDS = 120

_FIRST_CAPABILITY = (8, 0)


def run(bench):
    """Compare; measure where there is TF32 to measure."""
    if not arithmetic.allow_tf32(bench.tf, True):
        raise Skip("TensorFlow %s cannot be told about TF32; 2.4 can" % bench.tf.__version__)
    found = arithmetic.check_matmul(bench, "tf32")
    reason = _explain_absence(bench)
    if reason:
        return "%s. %s, so this was plain float32" % (found, reason)
    return "%s, %s" % (found, arithmetic.tell_rate(bench, NAME, "float32"))


def _explain_absence(bench):
    if not bench.on_gpu:
        return "A CPU has no TF32"
    ask = getattr(bench.tf.config.experimental, "get_device_details", None)
    details = ask(bench.list_physical("GPU")[0]) if ask is not None else {}
    capability = details.get("compute_capability", _FIRST_CAPABILITY)
    return "" if tuple(capability) >= _FIRST_CAPABILITY else "This GPU has no TF32"
