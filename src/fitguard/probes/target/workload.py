"""One computation of a soak: the same result each time, bit for bit."""

from . import arithmetic, checksums

_UNABLE = (
    "UnimplementedError", "InvalidArgumentError", "NotFoundError", "ResourceExhaustedError",
    "ValueError", "TypeError", "AttributeError",
)  # fmt: skip
"""Errors of a version that lacks a kernel or a type; all others are faults."""


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
        together: How many results are in one, bit by bit.
    """

    def __init__(
        self, bench, name, device, size, outputs, function, inputs, validate, tf32=None, weight=4,
        together=1,
    ):  # fmt: skip
        self.bench, self.name, self.device, self.size = bench, name, device, size
        self.outputs, self.weight = outputs, weight
        self._inputs, self._validate, self._tf32 = inputs, validate, tf32
        tf = bench.tf
        self._run = tf.function(lambda *given: checksums.to_words(tf, function(*given)))
        self.elements = together * sum(count_elements(shape) for _, shape in outputs)

    def compute(self, number):  # noqa: ARG002
        """The result as words, on the device."""
        return self.call(self._run)

    def call(self, function, *more):
        """What a function gives for the inputs, on the device."""
        if self._tf32 is not None:
            arithmetic.allow_tf32(self.bench.tf, self._tf32)
        with self.bench.tf.device(self.device):
            return function(*(list(self._inputs) + list(more)))

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


def explain_unable(error):
    """Why something cannot be computed here; empty where the error means something else."""
    if isinstance(error, CannotRun):
        return str(error)
    name = type(error).__name__
    if name not in _UNABLE:
        return ""
    return "It cannot be computed here: %s: %s" % (name, str(error).split("\n")[0][:200])


def measure_element(dtype):
    """Bytes of one element."""
    return {"float64": 8, "int64": 8, "float32": 4}.get(dtype, 2)


def draw_numbers(bench, device, seed, shape, dtype):
    """From -1 to 1, on the device; the same for the same seed."""
    values = bench.np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")
    with bench.tf.device(device):
        return bench.tf.identity(bench.tf.cast(bench.tf.constant(values), dtype))


def draw_words(bench, device, seed, count):
    """Any bits, on the device; the same for the same seed."""
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
