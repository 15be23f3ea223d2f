# -*- coding: utf-8 -*-
"""Matrices are multiplied in float32.

## What is done
Two matrices of random numbers are multiplied on the device in full float32 (TF32 is off), and
compared with the product in float64 on the host. Then larger ones are multiplied to measure the
rate.

## How it is judged
Rounding changes a number by at most u = 2⁻²⁴ of itself. Numbers are rounded when they go in and
out, and the sum is rounded with each of its n terms. Such errors are as often up as down, so they
grow with √n. Each element may differ by 4 · (2u + u√n) of the largest one: 8 · 10⁻⁶ for 1,024
terms. The factor of 4 is room for the worst element of many. A wrong bit in an exponent or in the
upper half of a mantissa is outside of it, except in an element that is itself close to 0.

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
    found = arithmetic.check_matmul(bench, "float32")
    return "%s, %s" % (found, arithmetic.tell_rate(bench, NAME, "float32"))
