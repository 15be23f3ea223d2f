"""Nearly all memory of the device holds what is written to it.

## What is done
The free memory of the device is taken block by block until no more is given. Each block is filled
with numbers that depend on their address. When all is written, all is read back and compared on the
device itself. Then the same is done with each bit turned round, so that every bit has held both 0
and 1. On the CPU it is 256 MiB. Nothing else can use the device meanwhile: do not run it beside a
training.

## How it is judged
Every bit has to be the same. The first wrong word is told with its block, its place and its bits.

## What a failure means
The memory of the device is bad, or the path to it. Training on it gives wrong numbers now and then,
and nobody notices. If repeated runs name the same place, it is a cell: a card with ECC takes such
pages out of use at its next reset (`nvidia-smi --gpu-reset`, or a reboot). If the place changes,
look at heat and power first, then replace the card.
"""

from .. import arithmetic
from ..bench import Skip, WrongResult

NAME = "memory-pattern"
LEVEL = "medium"
SECONDS = 40
LIMIT_SECONDS = 600

_MIB = 2**20
_CPU_BYTES = 256 * _MIB
_SPARE_BLOCKS = 3
"""They are given back: comparing a block needs room for another one, and for what differs."""
_TURNED = -1
"""All bits are set: XOR with it turns each round."""


def run(bench):
    """Write all, read all; then once more with each bit turned round."""
    memory = _Memory(bench)
    memory.fill()
    memory.compare()
    memory.turn()
    memory.compare()
    amount = memory.written_bytes
    amount = "%.1f GiB" % (amount / 1024.0**3) if bench.on_gpu else "%d MiB" % (amount // _MIB)
    return "%s were written and read back twice, each bit as 0 and as 1" % amount


class _Memory(object):
    """The blocks.

    The word in row `r` and column `c` of a block is `rows[r] XOR columns[c]`. Both are random
    numbers of 64 bits, so that no two places hold the same, and a wrong address shows.
    """

    def __init__(self, bench):
        self._bench = bench
        # Words of 64 bits: tensors of 32 may stay in the memory of the host.
        self._shape = (4096, 8192) if bench.on_gpu else (1024, 2048)
        self._block_bytes = 8 * self._shape[0] * self._shape[1]
        self._blocks = []
        self._turned = 0

    @property
    def written_bytes(self):
        return len(self._blocks) * self._block_bytes

    def fill(self):
        """Until no more is given; on the CPU until it is enough."""
        bench = self._bench
        most = None if bench.on_gpu else _CPU_BYTES // self._block_bytes
        while most is None or len(self._blocks) < most:
            try:
                self._blocks.append(bench.keep(self._make(len(self._blocks))))
            except bench.tf.errors.ResourceExhaustedError:
                del self._blocks[-_SPARE_BLOCKS:]
                break
            arithmetic.require_on_device(bench, self._blocks[-1])
            self._tell(0.0, len(self._blocks), "written")
        if not self._blocks:
            raise Skip(
                "Not one block of %d MiB is free: another process holds the memory of the device"
                % (self._block_bytes // _MIB)
            )

    def turn(self):
        """Write each block again, with each bit turned round."""
        self._turned = _TURNED
        for number in range(len(self._blocks)):
            # The old one has to go first: there is no room for both.
            self._blocks[number] = None
            self._blocks[number] = self._bench.keep(self._make(number))
            self._tell(0.5 + 0.25 * number / len(self._blocks), number + 1, "written")

    def compare(self):
        """Read all back, and look closely at what differs."""
        tf = self._bench.tf
        differ = []
        with tf.device(self._bench.device):
            for number, block in enumerate(self._blocks):
                differ.append(tf.reduce_any(tf.not_equal(block, self._make(number))))
            found = self._bench.fetch(tf.cast(tf.stack(differ), tf.float32))
        self._tell(1.0 if self._turned else 0.5, len(self._blocks), "compared")
        wrong = [number for number, flag in enumerate(found) if flag]
        if wrong:
            raise WrongResult(self._describe(wrong))

    def _make(self, number):
        """What a block should hold, on the device."""
        tf = self._bench.tf
        rows, columns = self._draw(number)
        with tf.device(self._bench.device):
            return tf.bitwise.bitwise_xor(tf.constant(rows), tf.constant(columns))

    def _draw(self, number):
        """The numbers of its rows and columns: the XOR of a row and a column is a word."""
        np = self._bench.np
        draw = np.random.RandomState(number)
        rows, columns = (
            np.frombuffer(draw.bytes(8 * count), dtype=np.int64) for count in self._shape
        )
        return (rows ^ self._turned)[:, None], columns[None, :]

    def _describe(self, wrong):
        """Where it is wrong: the blocks, and the first word of the first of them."""
        np = self._bench.np
        number = wrong[0]
        text = "%d of %d blocks of %d MiB came back changed: number %s" % (
            len(wrong), len(self._blocks), self._block_bytes // _MIB,
            ", ".join(map(str, wrong[:8])),
        )  # fmt: skip
        rows, columns = self._draw(number)
        got, expected = np.array(self._blocks[number]), rows ^ columns
        places = np.flatnonzero(got != expected)
        if not places.size:
            return text + ". When block %d was read again, nothing was wrong with it" % number
        first = int(places[0])
        one, other = (int(array.view(np.uint64).flat[first]) for array in (got, expected))
        flipped = got.flat[places] ^ expected.flat[places]
        bits = int(np.unpackbits(flipped.view(np.uint8)).sum())
        return text + (
            ". Block %d has %s in %s; the first is word %d (byte %d of all): 0x%016x. Expected "
            "0x%016x, so that bits %s are flipped"
            % (
                number, _count(bits, "wrong bit"), _count(places.size, "word"), first,
                number * self._block_bytes + 8 * first,
                one, other, [bit for bit in range(64) if (one ^ other) >> bit & 1],
            )
        )  # fmt: skip

    def _tell(self, share, count, what):
        size = "%.1f GiB" % (count * self._block_bytes / 1024.0**3)
        self._bench.progress(share, "%s %s" % (size, what))


def _count(number, noun):
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")
