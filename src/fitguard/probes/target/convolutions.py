"""Convolutions, forward and backward."""

from . import arithmetic

AMPLIFIED = 4.0
"""Winograd's algorithm, which cuDNN may choose, amplifies the rounding by about so much."""


def check_convolution(bench, kind):
    """Compare a convolution and its two gradients with float64.

    Args:
        kind: A key of `arithmetic.ROUNDING`.
    """
    tf = bench.tf
    batch, side, channels = (16, 32, 64) if bench.on_gpu else (2, 8, 8)
    window, positions = 9 * channels, batch * side * side
    draw = arithmetic.draw_numbers(bench)
    images = draw.uniform(-1, 1, (batch, side, side, channels))
    # All results are of about 1.
    kernel = draw.uniform(-1, 1, (3, 3, channels, channels)) * 3.0 / window**0.5
    weights = draw.uniform(-1, 1, images.shape) * 3.0 / positions**0.5

    def convolve(images, kernel):
        return tf.nn.conv2d(images, kernel, strides=1, padding="SAME")

    def compute(images, kernel, weights):
        return arithmetic.differentiate(tf, convolve, [images, kernel], weights)

    error = arithmetic.check_results(
        bench,
        kind,
        compute,
        [images, kernel, weights],
        [
            (name, arithmetic.bound_sum(kind, terms, AMPLIFIED))
            for name, terms in (
                ("the convolution", window),
                ("the gradient by the images", window),
                ("the gradient by the kernel", positions),
            )
        ],
    )
    return "%s: %s" % (kind, error)


def check_both_types(bench):
    """float32 and float16."""
    arithmetic.allow_tf32(bench.tf, False)
    found = [check_convolution(bench, kind) for kind in ("float32", "float16")]
    return "A convolution and its gradients, " + "; ".join(found)
