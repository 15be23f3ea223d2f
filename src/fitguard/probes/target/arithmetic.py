# -*- coding: utf-8 -*-
"""What several probes compute, and how far from the truth rounding may take it."""

import time

from .bench import Skip

ROUNDING = {
    "float64": 2.0**-52, "float32": 2.0**-23, "tf32": 2.0**-10, "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}  # fmt: skip
"""Of one number: the distance from 1 to the next one."""
_MARGIN = 4.0
_COPIES = 5
_RATE_SECONDS = 0.5


def allow_tf32(tf, allowed):
    """Whether float32 may be computed in TF32; before TensorFlow 2.4 nobody can tell it."""
    switch = getattr(tf.config.experimental, "enable_tensor_float_32_execution", None)
    if switch is not None:
        switch(allowed)
    return switch is not None


def compile_with_xla(tf, function):
    """The function compiled by XLA, asked for in the way of this version."""
    for argument in ("jit_compile", "experimental_compile"):
        try:
            return tf.function(function, autograph=False, **{argument: True})
        except TypeError:
            continue
    raise Skip("TensorFlow %s cannot be asked for XLA; 2.1 can" % tf.__version__)


def draw_numbers(bench):
    """Where random numbers come from: the same ones each time, unless another seed is asked for."""
    return bench.np.random.RandomState(bench.options.get("seed", 7))


def draw_array(draw, shape, size):
    """Numbers between -size and size, as float32 holds them."""
    return draw.uniform(-size, size, shape).astype("float32")


def bound_sum(kind, terms, depth=1.0):
    """How far a sum of products may be off, as a share of the largest result.

    What goes in and what comes out is rounded: 2 u. The sum is rounded with each of n terms, in
    float32 or, of float64, in float64: v √n. Such errors are as often up as down, so that they grow
    with √n, not with n. Partial sums are not larger than the largest result. Four times that is
    room for the worst of many elements.

    Args:
        kind: A key of `ROUNDING`, for u.
        terms: n.
        depth: How much an algorithm amplifies. Where such sums stand one upon another: the root of
            their number, for the same reason.
    """
    # Half the distance where it is rounded. A tensor core cuts off what TF32 does not hold.
    unit = ROUNDING[kind] * (1.0 if kind == "tf32" else 0.5)
    adding = ROUNDING["float64" if kind == "float64" else "float32"]
    return _MARGIN * depth * (2.0 * unit + 0.5 * adding * terms**0.5)


def name_type(kind):
    """The type of the numbers: those of TF32 are float32."""
    return "float32" if kind == "tf32" else kind


def check_matmul(bench, kind):
    """Compare a product with float64.

    Args:
        kind: A key of `ROUNDING`.

    Returns:
        A sentence.
    """
    # Eigen, on the CPU, may add in float16: few terms, so that it makes no difference.
    size, terms = (1024, 1024) if bench.on_gpu else (64, 16)
    draw = draw_numbers(bench)
    # Results of about 1: nothing leaves the range of float16.
    shapes = ((size, terms), (terms, size))
    matrices = [draw.uniform(-1, 1, shape) * (3.0 / terms**0.5) ** 0.5 for shape in shapes]
    error = check_results(
        bench,
        kind,
        lambda left, right: [bench.tf.matmul(left, right)],
        matrices,
        [("the product", bound_sum(kind, terms))],
    )
    return "%d x %d and %d x %d matrices in %s: %s" % (shapes[0] + shapes[1] + (kind, error))


def check_results(bench, kind, compute, arrays, bounds):
    """Compute on the device, and in float64 on the CPU, and compare.

    Args:
        kind: A key of `ROUNDING`: what the device computes in.
        compute: Takes tensors and gives a list of tensors, in any type.
        arrays: What it takes.
        bounds: For each result its name and its bound.

    Returns:
        The largest error, in words.
    """
    tf, np = bench.tf, bench.np
    dtype = name_type(kind)
    with tf.device("/CPU:0"):
        # The reference gets the numbers that the device gets, after their rounding.
        inputs = [tf.cast(tf.constant(one, "float32"), dtype) for one in arrays]
        exact = compute(*[tf.cast(one, "float64") for one in inputs])
    with tf.device(bench.device):
        results = compute(*[tf.identity(one) for one in inputs])
        # NumPy has no bfloat16 of its own.
        plain = [tf.cast(one, "float32") if kind == "bfloat16" else one for one in results]
        got = [bench.fetch(one) for one in plain]
    rows = []
    for result, reference, (name, bound) in zip(got, exact, bounds):
        rows.append(("%s in %s" % (name, kind), result, np.array(reference), bound))
    return require_all_close(bench, rows)


def require_all_close(bench, rows):
    """Compare several results.

    Args:
        rows: What it is, the result, the reference, and the bound: see `Bench.require_close`.

    Returns:
        The error that comes closest to its bound, in words.
    """
    worst = (0.0, 0.0)
    for what, got, expected, bound in rows:
        error = bench.require_close(got, expected, bound, what)
        worst = max(worst, (error / bound, error))
    return "error %.1e, %.0f %% of what is allowed" % (worst[1], 100 * worst[0])


def differentiate(tf, function, inputs, weights):
    """A function's result, and the gradients of its weighted sum by each input."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = function(*inputs)
    return [result] + tape.gradient(result, inputs, output_gradients=weights)


def tell_rate(bench, name, dtype):
    """Measure how fast large matrices are multiplied, and tell it."""
    return bench.measure(name, measure_matmul(bench, dtype) / 1e12, "TFLOP/s")


def measure_matmul(bench, dtype):
    """FLOP/s of large products: the best of several rounds."""
    tf = bench.tf
    size, repeats = (8192, 8) if bench.on_gpu else (256, 1)
    with tf.device(bench.device):
        matrix = tf.cast(tf.random.uniform((size, size)), dtype)
        wait(tf.matmul(matrix, matrix))
        best, until = 0.0, time.time() + _RATE_SECONDS
        while time.time() < until:
            began = time.time()
            for _ in range(repeats):
                product = tf.matmul(matrix, matrix)
            wait(product)
            best = max(best, repeats * 2.0 * size**3 / (time.time() - began))
    return best


def measure_copy(bench, numbers, source, target):
    """Bytes per second from one device to another: the best of several copies.

    Of a tensor that was copied before, TensorFlow keeps the copy. So each round has a fresh one.

    Args:
        numbers: Of type int64, wherever they are.
    """
    tf, best = bench.tf, 0.0
    for _ in range(_COPIES):
        with tf.device(source):
            numbers = tf.bitwise.invert(numbers)
            wait(numbers)
        began = time.time()
        with tf.device(target):
            copied = tf.identity(numbers)
            wait(copied)
        best = max(best, 8.0 * int(bench.np.prod(copied.shape)) / (time.time() - began))
    return best


def wait(tensor):
    """Until the device has computed it: one number of it is fetched.

    Call it where `tf.device` names that device, or else TensorFlow copies all of it to another one.
    """
    return float(tensor[(0,) * len(tensor.shape)])


def require_on_device(bench, tensor):
    """TensorFlow may leave a tensor in the memory of the host where it has no kernel for it."""
    place = getattr(tensor, "backing_device", tensor.device)
    if not place.endswith(bench.device.lstrip("/")):
        raise RuntimeError("A tensor lies on %s. Expected %s" % (place, bench.device))
