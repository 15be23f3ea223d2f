# -*- coding: utf-8 -*-
"""Matrices are multiplied in float32.

## What is done
Two matrices of random numbers are multiplied on the device in full float32 (TF32 is off), and
compared with the product in float64 on the host. Then larger ones are multiplied to measure the
rate.

## How it is judged
Each element may differ by the rounding of float32 in a sum of so many terms: 2⁻²³ · √n, four times.
A wrong bit in an exponent or in the upper half of a mantissa is far outside of it.

## What a failure means
cuBLAS gives wrong numbers on this GPU. If a repetition gives other ones, the GPU is sick.
"""

from .. import arithmetic

NAME = "matmul-float32"
LEVEL = "quick"
SECONDS = 3
LIMIT_SECONDS = 120


def run(bench):
    """Compare, then measure."""
    arithmetic.allow_tf32(bench.tf, False)
    return arithmetic.check_matmul(bench, "float32", NAME)
