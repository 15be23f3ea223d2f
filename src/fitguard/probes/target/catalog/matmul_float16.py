# -*- coding: utf-8 -*-
"""Matrices are multiplied in float16.

## What is done
Two matrices of float16 are multiplied on the device, on its tensor cores where it has them, and
compared with the product of the same numbers in float64 on the host. Then larger ones are
multiplied to measure the rate.

## How it is judged
As `matmul-float32`. A GPU takes and gives float16 (u = 2⁻¹¹) and adds in float32: each element may
differ by 4 · (2 · 2⁻¹¹ + 2⁻²⁴√n) of the largest one, 0.4 %.

## What a failure means
The tensor cores, or cuBLAS on them, give wrong numbers. Training with mixed precision would go
wrong without a message.
"""

from .. import arithmetic

NAME = "matmul-float16"
LEVEL = "quick"
SECONDS = 3
LIMIT_SECONDS = 120


def run(bench):
    """Compare, then measure."""
    found = arithmetic.check_matmul(bench, "float16")
    return "%s, %s" % (found, arithmetic.tell_rate(bench, NAME, "float16"))
