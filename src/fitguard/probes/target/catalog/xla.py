# -*- coding: utf-8 -*-
"""XLA compiles a function and runs it on the device.

## What is done
A function of elementwise operations and sums is compiled with XLA for the device and run. It is
computed in float64 on the host as well, and compared. Matrix products are left out: XLA tries many
kernels for them, which takes minutes. `fit-xla` does that.

## How it is judged
Four functions stand one upon another, and each may be rounded eight times inside. As in
`matmul-float32`, a result may differ by 4 · √32 · (2u + u√n) of the largest one, where n is 1 for
the functions and the number of terms for the sums: 4 · 10⁻⁶ and 5 · 10⁻⁵.

## What a failure means
XLA does not work here: a part of the CUDA toolkit is missing that it needs (`ptxas`, `libdevice`),
or this build has no XLA. Train with `jit_compile=False`. Keras 3 uses XLA by default on a GPU.
"""

import time

from .. import arithmetic

NAME = "xla"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 180

_ROUNDINGS = 4 * 8


def run(bench):
    """Compile, run, run again, compare."""
    tf, np = bench.tf, bench.np
    rows, columns = (4096, 1024) if bench.on_gpu else (64, 64)
    numbers = arithmetic.draw_numbers(bench).uniform(-2, 2, (rows, columns)).astype("float32")

    def compute(values):
        waves = tf.tanh(values) * tf.exp(-values * values) + tf.sqrt(tf.abs(values) + 1.0)
        return waves, tf.reduce_sum(waves - values, axis=1)

    compiled = arithmetic.compile_with_xla(tf, compute)
    with tf.device(bench.device):
        values = tf.constant(numbers)
        first_seconds, _ = _time(bench, compiled, values)
        seconds, got = _time(bench, compiled, values)
    exact = numbers.astype("float64")
    waves = np.tanh(exact) * np.exp(-exact * exact) + np.sqrt(np.abs(exact) + 1.0)
    expected = waves, np.sum(waves - exact, axis=1)
    compared = []
    for number, (name, terms) in enumerate((("a function", 1), ("a sum", columns))):
        bound = arithmetic.bound_sum("float32", terms, _ROUNDINGS**0.5)
        compared.append((name + " of XLA", got[number], expected[number], bound))
    error = arithmetic.require_all_close(bench, compared)
    return "XLA compiled in %.1f s: %s" % (max(0.0, first_seconds - seconds), error)


def _time(bench, compiled, values):
    began = time.time()
    got = [bench.fetch(one) for one in compiled(values)]
    return time.time() - began, got
