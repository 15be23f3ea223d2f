"""What a soak computes: each from inputs of a seed, always with the same result, bit for bit."""

from . import arithmetic, checksums

_MARGIN = 16.0
_SAMPLED_ROWS = 32
_MEBIBYTE = 2**20
_EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
_UNABLE = (
    "UnimplementedError", "InvalidArgumentError", "NotFoundError", "ResourceExhaustedError",
    "ValueError", "TypeError", "AttributeError",
)  # fmt: skip
"""Errors of a version that lacks a kernel or a type; all others are faults."""
MATMUL_KINDS = ("float64", "float32", "tf32", "float16", "bfloat16")


class CannotRun(Exception):
    """This computation cannot be done here; the text says why."""


class Workload(object):
    """One computation on one device.

    Args:
        size: In words, for the report: `4096 x 4096 x 4096 float16`.
        outputs: Type and shape of each tensor of the result.
        function: From the inputs to these tensors.
        validate: Is given them as arrays, and raises `WrongResult` where they cannot be right.
        tf32: Whether float32 may be computed in TF32; None where it does not matter.
        weight: How often it is chosen, beside others.
    """

    def __init__(
        self, bench, name, device, size, outputs, function, inputs, validate, tf32=None, weight=4
    ):
        self.bench, self.name, self.device, self.size = bench, name, device, size
        self.outputs, self.weight = outputs, weight
        self._inputs, self._validate, self._tf32 = inputs, validate, tf32
        tf = bench.tf
        self._run = tf.function(lambda *given: checksums.to_words(tf, function(*given)))
        self.elements = sum(count_elements(shape) for _, shape in outputs)

    def compute(self, number):
        """The result as words, on the device."""
        if self._tf32 is not None:
            arithmetic.allow_tf32(self.bench.tf, self._tf32)
        with self.bench.tf.device(self.device):
            return self._run(*self._inputs)

    def renew(self):
        """Before it is computed again after a wrong result, where something has to be put right."""

    def validate(self, words):
        """Raise where the result is wrong by more than rounding.

        Args:
            words: An array.
        """
        self._validate(self.decode(words))

    def decode(self, words):
        """The tensors of a result, as arrays of float64 or int64."""
        raw, found, begin = words.tobytes(), [], 0
        for dtype, shape in self.outputs:
            end = begin + count_elements(shape) * measure_element(dtype)
            found.append(_decode(self.bench.np, raw[begin:end], dtype).reshape(shape))
            begin = end
        return found

    def locate(self, byte):
        """Which element a byte of the result belongs to: the output, and its place there."""
        for output, (dtype, shape) in enumerate(self.outputs):
            size = count_elements(shape) * measure_element(dtype)
            if byte < size:
                flat = byte // measure_element(dtype)
                return output, dtype, [int(n) for n in self.bench.np.unravel_index(flat, shape)]
            byte -= size
        raise ValueError("Received a byte behind the end of the result")

    def count_touched(self, places):
        """How many elements an array of places of bytes belongs to."""
        np, begin, count = self.bench.np, 0, 0
        for dtype, shape in self.outputs:
            end = begin + count_elements(shape) * measure_element(dtype)
            own = places[(places >= begin) & (places < end)] - begin
            count += int(np.unique(own // measure_element(dtype)).size)
            begin = end
        return count


def build_workloads(bench, device, seed, memory_bytes):
    """All of them for one device.

    Returns:
        The workloads, and for each name that cannot be computed here the reason.
    """
    builders = [
        ("matmul-" + kind, lambda name, kind=kind: _build_matmul(bench, name, device, seed, kind))
        for kind in MATMUL_KINDS
    ]
    builders += [
        ("convolution", lambda name: _build_convolution(bench, name, device, seed)),
        ("elementwise", lambda name: _build_elementwise(bench, name, device, seed)),
        ("reductions", lambda name: _build_reductions(bench, name, device, seed)),
        ("integers", lambda name: _build_integers(bench, name, device, seed)),
        ("memory", lambda name: Memory(bench, name, device, memory_bytes)),
        ("host-copies", lambda name: HostCopies(bench, name, device, seed)),
    ]
    found, left_out = [], {}
    for name, build in builders:
        try:
            found.append(build(name))
        except Exception as error:
            left_out[name] = explain_unable(error)
            if not left_out[name]:
                raise
    return found, left_out


def explain_unable(error):
    """Why something cannot be computed here; empty where the error means something else."""
    if isinstance(error, CannotRun):
        return str(error)
    name = type(error).__name__
    if name not in _UNABLE:
        return ""
    return "It cannot be computed here: %s: %s" % (name, str(error).split("\n")[0][:200])


def _build_matmul(bench, name, device, seed, kind):
    tf, np = bench.tf, bench.np
    if kind == "tf32" and not (bench.on_gpu and arithmetic.allow_tf32(tf, True)):
        raise CannotRun("TF32 needs a GPU, and TensorFlow 2.4 or newer")
    dtype = "float32" if kind == "tf32" else kind
    size = 128 if not bench.on_gpu else 4096 if kind in ("float64", "float32") else 8192
    left, right = (_draw(bench, device, seed + n, (size, size), dtype) for n in range(2))
    rounding = arithmetic.ROUNDING.get(kind, _EPSILON[dtype])

    def validate(results):
        rows = np.linspace(0, size - 1, min(size, _SAMPLED_ROWS)).astype(int)
        some = tf.cast(tf.gather(left, rows), "float64").numpy()
        expected = np.matmul(some, tf.cast(right, "float64").numpy())
        bench.require_close(results[0][rows], expected, _MARGIN * rounding, name)

    return Workload(
        bench, name, device, "%d x %d x %d %s" % (size, size, size, kind),
        [(dtype, (size, size))], lambda a, b: [tf.matmul(a, b)], (left, right), validate,
        tf32=kind == "tf32" if dtype == "float32" else None,
    )  # fmt: skip


def _build_convolution(bench, name, device, seed):
    """Forward, and both gradients."""
    tf, np = bench.tf, bench.np
    batch, side, channels = (32, 64, 64) if bench.on_gpu else (2, 16, 8)
    image = _draw(bench, device, seed + 2, (batch, side, side, channels), "float32")
    kernel = _draw(bench, device, seed + 3, (3, 3, channels, channels), "float32")
    outer = _draw(bench, device, seed + 4, (batch, side, side, channels), "float32")

    def compute(image, kernel, outer):
        with tf.GradientTape() as tape:
            tape.watch([image, kernel])
            found = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
        return [found] + list(tape.gradient(found, [image, kernel], output_gradients=outer))

    def validate(results):
        with tf.device("/CPU:0"):
            exact = compute(*(tf.cast(one.numpy(), "float64") for one in (image, kernel, outer)))
        for got, expected, part in zip(results, exact, ("forward", "of the image", "of the kernel")):
            bound = _MARGIN * _EPSILON["float32"] * np.sqrt(side)
            bench.require_close(got, expected.numpy(), bound, "%s, %s" % (name, part))

    shapes = [image.shape, image.shape, kernel.shape]
    return Workload(
        bench, name, device, "%d images of %d x %d x %d, 3 x 3 float32, with gradients"
        % (batch, side, side, channels),
        [("float32", tuple(int(n) for n in shape)) for shape in shapes],
        compute, (image, kernel, outer), validate, tf32=False,
    )  # fmt: skip


def _build_elementwise(bench, name, device, seed):
    tf, np = bench.tf, bench.np
    count = 2**26 if bench.on_gpu else 2**16
    values = _draw(bench, device, seed + 5, (count,), "float32")

    def validate(results):
        x = values.numpy().astype("float64")
        expected = np.tanh(x) * np.exp(-x * x) + np.sqrt(np.abs(x)) * np.sin(3 * x)
        bench.require_close(results[0], expected, _MARGIN * _EPSILON["float32"], name)

    return Workload(
        bench, name, device, "%d elements float32: tanh, exp, sqrt, sin" % count,
        [("float32", (count,))],
        lambda x: [tf.tanh(x) * tf.exp(-x * x) + tf.sqrt(tf.abs(x)) * tf.sin(3.0 * x)],
        (values,), validate,
    )  # fmt: skip


def _build_reductions(bench, name, device, seed):
    tf, np = bench.tf, bench.np
    rows, columns = (16384, 4096) if bench.on_gpu else (128, 256)
    values = _draw(bench, device, seed + 6, (rows, columns), "float32")

    def compute(x):
        return [tf.nn.softmax(x), tf.reduce_sum(x, 1), tf.reduce_sum(x, 0), tf.reduce_max(x, 1)]

    def validate(results):
        x = values.numpy().astype("float64")
        powers = np.exp(x)
        expected = [
            powers / powers.sum(1, keepdims=True), x.sum(1), x.sum(0), x.max(1),
        ]  # fmt: skip
        for got, exact in zip(results, expected):
            bound = _MARGIN * _EPSILON["float32"] * np.sqrt(rows)
            bench.require_close(got, exact, bound, name)

    shapes = [(rows, columns), (rows,), (columns,), (rows,)]
    return Workload(
        bench, name, device, "%d x %d float32: softmax, sums, maxima" % (rows, columns),
        [("float32", shape) for shape in shapes], compute, (values,), validate,
    )  # fmt: skip


def _build_integers(bench, name, device, seed):
    """Each bit of a word depends on those below it: a wrong one spreads."""
    tf, np = bench.tf, bench.np
    count = 2**25 if bench.on_gpu else 2**15
    values = _draw_words(bench, device, seed + 7, count)
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

    return Workload(
        bench, name, device, "%d words of 64 bits, %d rounds" % (count, rounds),
        [("int64", (count,))], compute, (values,), validate,
    )  # fmt: skip


class Memory(Workload):
    """Memory that is held, read after a while, and written with the opposite of what it held."""

    def __init__(self, bench, name, device, memory_bytes):
        tf = bench.tf
        part_bytes = 256 * _MEBIBYTE if bench.on_gpu else _MEBIBYTE // 4
        parts = max(1, int(memory_bytes // part_bytes))
        words = part_bytes // checksums.WORD_BYTES
        self._words, self._last = words, 0
        Workload.__init__(
            self, bench, name, device, "%d MiB held" % (parts * part_bytes // _MEBIBYTE),
            [("int64", (words,))], lambda given: [given], (), self._compare_pattern, weight=8,
        )  # fmt: skip
        with tf.device(device):
            pattern = checksums.make_weights(tf, words)
            self._parts = [tf.Variable(pattern, trainable=False) for _ in range(parts)]
        self._keys = [0] * parts
        self._read = tf.function(lambda part, key: tf.bitwise.bitwise_xor(part, key))
        self._numbers = [None] * parts

    def compute(self, number):
        """One part after another; the same again for the same number."""
        tf = self.bench.tf
        place = self._last = number % len(self._parts)
        with tf.device(self.device):
            part = self._parts[place]
            found = self._read(part.read_value(), tf.constant(self._keys[place], "int64"))
            if number != self._numbers[place]:
                part.assign(tf.bitwise.invert(part.read_value()))
                self._keys[place] = -1 - self._keys[place]
        self._numbers[place] = number
        return found

    def renew(self):
        """Write the part anew that was read last."""
        tf = self.bench.tf
        with tf.device(self.device):
            self._parts[self._last].assign(checksums.make_weights(tf, self._words))
        self._keys[self._last] = 0

    def _compare_pattern(self, results):
        np = self.bench.np
        with self.bench.tf.device("/CPU:0"):
            pattern = checksums.make_weights(self.bench.tf, self._words).numpy()
        self.bench.require_same(results[0], np.asarray(pattern), self.name)


class HostCopies(Workload):
    """To the device, back to the host, and to the device again."""

    def __init__(self, bench, name, device, seed):
        count = (64 * _MEBIBYTE if bench.on_gpu else _MEBIBYTE // 4) // checksums.WORD_BYTES
        self._kept = _draw_words(bench, "/CPU:0", seed + 8, count).numpy()
        Workload.__init__(
            self, bench, name, device, "%d KiB there and back" % (count * 8 // 1024),
            [("int64", (count,))], lambda given: [given], (), self._compare, weight=1,
        )  # fmt: skip

    def compute(self, number):
        tf = self.bench.tf
        with tf.device(self.device):
            there = tf.identity(tf.constant(self._kept))
        back = self.bench.np.array(there)
        with tf.device(self.device):
            return tf.identity(tf.constant(back))

    def _compare(self, results):
        self.bench.require_same(results[0], self._kept, self.name)


def measure_element(dtype):
    """Bytes of one element."""
    return {"float64": 8, "int64": 8, "float32": 4}.get(dtype, 2)


def _draw(bench, device, seed, shape, dtype):
    values = bench.np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")
    with bench.tf.device(device):
        return bench.tf.identity(bench.tf.cast(bench.tf.constant(values), dtype))


def _draw_words(bench, device, seed, count):
    raw = bench.np.random.RandomState(seed).bytes(count * checksums.WORD_BYTES)
    with bench.tf.device(device):
        return bench.tf.identity(bench.tf.constant(bench.np.frombuffer(raw, dtype="int64")))


def _decode(np, raw, dtype):
    if dtype == "bfloat16":
        upper = np.frombuffer(raw, dtype="uint16").astype("uint32") << 16
        return upper.view("float32").astype("float64")
    found = np.frombuffer(raw, dtype=dtype)
    return found if dtype == "int64" else found.astype("float64")


def count_elements(shape):
    """Of a tensor of this shape."""
    count = 1
    for one in shape:
        count *= int(one)
    return count
