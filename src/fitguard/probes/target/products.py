"""Matrix products of a soak: what makes a GPU hot."""

from . import arithmetic, checksums, workload
from .bench import WrongResult

KINDS = ("float64", "float32", "tf32", "float16", "bfloat16")
_ON_GPU, _ON_CPU = 9, 3
"""So many before one look at the result: fewer leave a fast GPU waiting for the host. Odd, or a bit
that is wrong in each of them would be right in all together."""
_SAMPLED_ROWS = 32
_MARGIN = 16.0


class Products(workload.Workload):
    """Products of one matrix, its rows shifted, with another, put together bit by bit.

    A wrong bit in any of them is a wrong bit of the whole.
    """

    def __init__(self, bench, name, device, seed, kind):
        tf = bench.tf
        if kind == "tf32" and not (bench.on_gpu and arithmetic.allow_tf32(tf, True)):
            raise workload.CannotRun("TF32 needs a GPU, and TensorFlow 2.4 or newer")
        dtype = "float32" if kind == "tf32" else kind
        size = 128 if not bench.on_gpu else 4096 if kind in ("float64", "float32") else 8192
        count = _ON_GPU if bench.on_gpu else _ON_CPU
        inputs = [
            workload.draw_numbers(bench, device, seed + n, (size, size), dtype) for n in range(2)
        ]
        self._kind, self._side = kind, size
        self._shifts = [number * (size // count) for number in range(count)]
        super(Products, self).__init__(
            bench, name, device, "%d products of %d x %d x %d %s" % (count, size, size, size, kind),
            [(dtype, (size, size))], self._multiply_all, inputs, None,
            tf32=kind == "tf32" if dtype == "float32" else None, together=count,
        )  # fmt: skip

    def _multiply_all(self, left, right):
        tf, words = self.bench.tf, None
        for shift in self._shifts:
            # One after another: all at once need the memory of all.
            with tf.control_dependencies([] if words is None else [words]):
                own = self._multiply(left, right, shift)
            words = own if words is None else tf.bitwise.bitwise_xor(words, own)
        return [words]

    def _multiply(self, left, right, shift):
        tf = self.bench.tf
        return checksums.to_words(tf, [tf.matmul(tf.roll(left, shift, 0), right)])

    def validate(self, words):
        """Each product alone against float64, then all of them together bit for bit."""
        np, together = self.bench.np, 0
        multiply = self.bench.tf.function(self._multiply)
        rows = np.linspace(0, self._side - 1, min(self._side, _SAMPLED_ROWS)).astype(int)
        left, right = (self.bench.tf.cast(one, "float64").numpy() for one in self._inputs)
        bound = _bound_sum(self._kind, self._side)
        for shift in self._shifts:
            own = self.call(multiply, self.bench.tf.constant(shift)).numpy()
            expected = np.matmul(left[(rows - shift) % self._side], right)
            self.bench.require_close(self.decode(own)[0][rows], expected, bound, self.name)
            together = together ^ own
        if (together == words).all():
            return
        if (self.compute(0).numpy() == words).all():
            raise workload.CannotRun("Its products have other bits when they are computed alone")
        raise WrongResult("%s: its products have other bits together than alone" % self.name)


def _bound_sum(kind, terms):
    """As for a probe; Eigen, on the CPU, may add in the type itself."""
    return max(_MARGIN * arithmetic.ROUNDING[kind], arithmetic.bound_sum(kind, terms))
