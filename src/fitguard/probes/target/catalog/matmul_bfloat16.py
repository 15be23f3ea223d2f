# -*- coding: utf-8 -*-
"""Matrices are multiplied in bfloat16.

## What is done
Two matrices of bfloat16 are multiplied on the device, on its tensor cores where it has them, and
compared with the product of the same numbers in float64 on the host. Then larger ones are
multiplied to measure the rate. Before Ampere, GPUs have no bfloat16.

## How it is judged
As `matmul-float32`. A GPU takes and gives bfloat16 (u = 2⁻⁸) and adds in float32: each element may
differ by 4 · (2 · 2⁻⁸ + 2⁻²⁴√n) of the largest one, 3 %.

## What a failure means
The tensor cores, or cuBLAS on them, give wrong numbers. Training with `mixed_bfloat16` would go
wrong without a message.
"""

from .. import arithmetic
from ..bench import Skip

NAME = "matmul-bfloat16"
LEVEL = "medium"
SECONDS = 3
LIMIT_SECONDS = 120


def run(bench):
    """Compare, then measure."""
    try:
        found = arithmetic.check_matmul(bench, "bfloat16")
    except (bench.tf.errors.UnimplementedError, bench.tf.errors.NotFoundError) as error:
        raise Skip("This build cannot multiply in bfloat16 here: %s" % str(error).split("\n")[0])
    return "%s, %s" % (found, arithmetic.tell_rate(bench, NAME, "bfloat16"))
