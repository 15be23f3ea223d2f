"""What several probes compute."""

import time

ROUNDING = {"float32": 2.0**-23, "tf32": 2.0**-10, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""Of one number: the distance from 1 to the next one."""
_MARGIN = 4.0
_RATE_SECONDS = 0.5


def allow_tf32(tf, allowed):
    """Whether float32 may be computed in TF32; before TensorFlow 2.4 nobody can tell it."""
    switch = getattr(tf.config.experimental, "enable_tensor_float_32_execution", None)
    if switch is not None:
        switch(allowed)
    return switch is not None


def compile_with_xla(tf, function):
    """The function compiled by XLA, asked for in the way of this version."""
    try:
        return tf.function(function, autograph=False, jit_compile=True)
    except TypeError:
        return tf.function(function, autograph=False, experimental_compile=True)


def check_matmul(bench, kind, name):
    """Compare a product with float64, then measure how fast larger ones are.

    Args:
        kind: A key of `ROUNDING`: with `tf32` the matrices are float32.
        name: Of the rate.
    """
    tf, np = bench.tf, bench.np
    dtype = "float32" if kind == "tf32" else kind
    size = 1024 if bench.on_gpu else 256
    draw = np.random.RandomState(7)
    left, right = (draw.uniform(-1, 1, (size, size)).astype("float32") for _ in range(2))
    with tf.device(bench.device):
        a, b = tf.cast(left, dtype), tf.cast(right, dtype)
        got = bench.fetch(tf.cast(tf.matmul(a, b), "float32"))
        # The reference has the numbers that the device had, after their rounding.
        exact = (tf.cast(one, "float64").numpy() for one in (a, b))
    expected = np.matmul(*exact)
    bound = _MARGIN * ROUNDING[kind] * np.sqrt(size) / np.sqrt(size / 3.0)
    error = bench.require_close(got, expected, bound, "the product in %s" % kind)
    rate = measure_matmul(bench, dtype)
    bench.measure(name, rate / 1e12, "TFLOP/s")
    return "%d x %d matrices in %s: error %.1e of %.1e allowed, %.3g TFLOP/s" % (
        size, size, kind, error, bound, rate / 1e12,
    )  # fmt: skip


def measure_matmul(bench, dtype):
    """FLOP/s of large products: the best of several rounds."""
    tf = bench.tf
    size = 8192 if bench.on_gpu else 512
    with tf.device(bench.device):
        matrix = tf.cast(tf.random.uniform((size, size)), dtype)
        wait(tf.matmul(matrix, matrix))
        best, until = 0.0, time.time() + _RATE_SECONDS
        while time.time() < until:
            repeats = 8
            began = time.time()
            for _ in range(repeats):
                product = tf.matmul(matrix, matrix)
            wait(product)
            best = max(best, repeats * 2.0 * size**3 / (time.time() - began))
    return best


def wait(tensor):
    """Until the device has computed it: one number of it is fetched."""
    return float(tensor[(0,) * len(tensor.shape)])
