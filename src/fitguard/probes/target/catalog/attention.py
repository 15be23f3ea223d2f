# -*- coding: utf-8 -*-
"""Attention, forward and backward.

## What is done
softmax(QKᵀ/√d) V of several heads is computed on the device, and its gradients by Q, K and V, in
float32 (TF32 is off) and in float16. The same is computed in float64 on the CPU, and compared.

## How it is judged
As in `matmul-float32`, one sum of n terms may be off by 4 · (2u + v√n) of the largest element.
With the gradients, six such sums stand one upon another. Their errors are independent, and add up
to √6 of one: 10⁻⁵ in float32 and 1 % in float16 of the largest element are allowed.

## What a failure means
Batched products or the softmax give wrong numbers on this GPU. Transformers train wrong on it.
"""

from .. import arithmetic

NAME = "attention"
LEVEL = "medium"
SECONDS = 4
LIMIT_SECONDS = 180

_SUMS = 6


def run(bench):
    """Compare both types."""
    arithmetic.allow_tf32(bench.tf, False)
    found = [_check(bench, kind) for kind in ("float32", "float16")]
    return "Attention and its gradients, " + "; ".join(found)


def _check(bench, kind):
    tf = bench.tf
    batch, heads, tokens, depth = (2, 8, 256, 64) if bench.on_gpu else (1, 2, 16, 8)
    draw = arithmetic.draw_numbers(bench)
    arrays = [draw.uniform(-1.7, 1.7, (batch, heads, tokens, depth)) for _ in range(4)]

    def attend(query, key, value):
        scores = tf.matmul(query * depth**-0.5, key, transpose_b=True)
        return tf.matmul(tf.nn.softmax(scores), value)

    def compute(query, key, value, weights):
        return arithmetic.differentiate(tf, attend, [query, key, value], weights)

    bound = arithmetic.bound_sum(kind, tokens, _SUMS**0.5)
    names = ["attention"] + ["the gradient by " + name for name in ("Q", "K", "V")]
    error = arithmetic.check_results(
        bench, kind, compute, arrays, [(name, bound) for name in names]
    )
    return "%s: %s" % (kind, error)
