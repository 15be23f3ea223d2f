"""Computations of a soak that only keep and move bits."""

from . import checksums, workload

_MEBIBYTE = 2**20


class Memory(workload.Workload):
    """Memory that is held, read after a while, and written with the opposite of what it held."""

    def __init__(self, bench, name, device, memory_bytes):
        tf = bench.tf
        part_bytes = 256 * _MEBIBYTE if bench.on_gpu else _MEBIBYTE // 4
        parts = max(1, int(memory_bytes // part_bytes))
        words = part_bytes // checksums.WORD_BYTES
        self._words, self._last = words, 0
        workload.Workload.__init__(
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


class HostCopies(workload.Workload):
    """To the device, back to the host, and to the device again."""

    def __init__(self, bench, name, device, seed):
        count = (64 * _MEBIBYTE if bench.on_gpu else _MEBIBYTE // 4) // checksums.WORD_BYTES
        self._kept = workload.draw_words(bench, "/CPU:0", seed + 8, count).numpy()
        workload.Workload.__init__(
            self, bench, name, device, "%d KiB there and back" % (count * 8 // 1024),
            [("int64", (count,))], lambda given: [given], (), self._compare, weight=1,
        )  # fmt: skip

    def compute(self, number):  # noqa: ARG002
        tf = self.bench.tf
        with tf.device(self.device):
            there = tf.identity(tf.constant(self._kept))
        back = self.bench.np.array(there)
        with tf.device(self.device):
            return tf.identity(tf.constant(back))

    def _compare(self, results):
        self.bench.require_same(results[0], self._kept, self.name)
