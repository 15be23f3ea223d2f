"""What a soak computes: each from inputs of a seed, always with the same result, bit for bit."""

from . import arithmetic, convolutions, products, transfers, workload

_MARGIN = 16.0
NAMES = tuple("matmul-" + kind for kind in products.KINDS) + (
    "convolution", "elementwise", "reductions", "integers", "memory", "host-copies",
)  # fmt: skip


def build_workloads(bench, device, seed, memory_bytes, only=()):
    """All of them for one device.

    Args:
        memory_bytes: That are held, and read after a while.
        only: Names; empty for all.

    Returns:
        The workloads, and for each name that cannot be computed here the reason.
    """
    builders = [
        (
            "matmul-" + kind,
            lambda name, kind=kind: products.Products(bench, name, device, seed, kind),
        )
        for kind in products.KINDS
    ]
    builders += [
        ("convolution", lambda name: _build_convolution(bench, name, device, seed)),
        ("elementwise", lambda name: _build_elementwise(bench, name, device, seed)),
        ("reductions", lambda name: _build_reductions(bench, name, device, seed)),
        ("integers", lambda name: _build_integers(bench, name, device, seed)),
        ("memory", lambda name: transfers.Memory(bench, name, device, memory_bytes)),
        ("host-copies", lambda name: transfers.HostCopies(bench, name, device, seed)),
    ]
    found, left_out = [], {}
    for name, build in builders:
        if only and name not in only:
            continue
        try:
            found.append(build(name))
        except Exception as error:
            left_out[name] = workload.explain_unable(error)
            if not left_out[name]:
                raise
    return found, left_out


def _build_convolution(bench, name, device, seed):
    """Forward, and both gradients."""
    tf = bench.tf
    batch, side, channels = (32, 64, 64) if bench.on_gpu else (2, 16, 8)
    image = workload.draw_numbers(bench, device, seed + 2, (batch, side, side, channels), "float32")
    kernel = workload.draw_numbers(bench, device, seed + 3, (3, 3, channels, channels), "float32")
    outer = workload.draw_numbers(bench, device, seed + 4, (batch, side, side, channels), "float32")

    def compute(image, kernel, outer):
        with tf.GradientTape() as tape:
            tape.watch([image, kernel])
            found = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
        return [found] + list(tape.gradient(found, [image, kernel], output_gradients=outer))

    def validate(results):
        with tf.device("/CPU:0"):
            exact = compute(*(tf.cast(one.numpy(), "float64") for one in (image, kernel, outer)))
        parts = (
            ("forward", 9 * channels), ("of the image", 9 * channels),
            ("of the kernel", batch * side**2),
        )  # fmt: skip
        for got, expected, (part, terms) in zip(results, exact, parts):
            bound = arithmetic.bound_sum("float32", terms, convolutions.AMPLIFIED)
            bench.require_close(got, expected.numpy(), bound, "%s, %s" % (name, part))

    shapes = [image.shape, image.shape, kernel.shape]
    return workload.Workload(
        bench, name, device, "%d images of %d x %d x %d, 3 x 3 float32, with gradients"
        % (batch, side, side, channels),
        [("float32", tuple(int(n) for n in shape)) for shape in shapes],
        compute, (image, kernel, outer), validate, tf32=False,
    )  # fmt: skip


def _build_elementwise(bench, name, device, seed):
    tf, np = bench.tf, bench.np
    count = 2**26 if bench.on_gpu else 2**16
    values = workload.draw_numbers(bench, device, seed + 5, (count,), "float32")

    def validate(results):
        x = values.numpy().astype("float64")
        expected = np.tanh(x) * np.exp(-x * x) + np.sqrt(np.abs(x)) * np.sin(3 * x)
        bench.require_close(results[0], expected, _MARGIN * arithmetic.ROUNDING["float32"], name)

    return workload.Workload(
        bench, name, device, "%d elements float32: tanh, exp, sqrt, sin" % count,
        [("float32", (count,))],
        lambda x: [tf.tanh(x) * tf.exp(-x * x) + tf.sqrt(tf.abs(x)) * tf.sin(3.0 * x)],
        (values,), validate,
    )  # fmt: skip


def _build_reductions(bench, name, device, seed):
    tf, np = bench.tf, bench.np
    rows, columns = (16384, 4096) if bench.on_gpu else (128, 256)
    values = workload.draw_numbers(bench, device, seed + 6, (rows, columns), "float32")

    def compute(x):
        return [tf.nn.softmax(x), tf.reduce_sum(x, 1), tf.reduce_sum(x, 0), tf.reduce_max(x, 1)]

    def validate(results):
        x = values.numpy().astype("float64")
        powers = np.exp(x)
        expected = [
            powers / powers.sum(1, keepdims=True), x.sum(1), x.sum(0), x.max(1),
        ]  # fmt: skip
        for got, exact in zip(results, expected):
            bound = _MARGIN * arithmetic.ROUNDING["float32"] * np.sqrt(rows)
            bench.require_close(got, exact, bound, name)

    shapes = [(rows, columns), (rows,), (columns,), (rows,)]
    return workload.Workload(
        bench, name, device, "%d x %d float32: softmax, sums, maxima" % (rows, columns),
        [("float32", shape) for shape in shapes], compute, (values,), validate,
    )  # fmt: skip


def _build_integers(bench, name, device, seed):
    """Each bit of a word depends on those below it: a wrong one spreads."""
    tf, np = bench.tf, bench.np
    count = 2**25 if bench.on_gpu else 2**15
    values = workload.draw_words(bench, device, seed + 7, count)
    factor, rounds = 6364136223846793005, 16

    def compute(x):
        for number in range(rounds):
            x = tf.bitwise.bitwise_xor(x * factor + number, values)
        return [x]

    def validate(results):
        start = values.numpy()
        x = start
        with np.errstate(over="ignore"):
            for number in range(rounds):
                x = (x * np.int64(factor) + np.int64(number)) ^ start
        bench.require_same(results[0], x, name)

    return workload.Workload(
        bench, name, device, "%d words of 64 bits, %d rounds" % (count, rounds),
        [("int64", (count,))], compute, (values,), validate,
    )  # fmt: skip
