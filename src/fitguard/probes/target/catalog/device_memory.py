"""The memory of the device is as fast as it should be.

## What is done
One is added to each element of a large tensor, again and again. That takes hardly any arithmetic:
the time goes into reading and writing memory.

## How it is judged
The sums are exact. The rate counts what is read and what is written. It stands beside the data
sheet of the card, of which four fifths to nine tenths are usual.

## What a failure means
Wrong sums: the memory of the device is sick, see `memory-pattern`. A low rate: its memory runs at a
low clock, or another process uses it.
"""

import time

from .. import arithmetic

NAME = "device-memory"
LEVEL = "quick"
SECONDS = 2
LIMIT_SECONDS = 120

_REPEATS = 16
_RATE_SECONDS = 0.5
_EXACT = 2**20
_EACH = 4099
"""Prime, so that the elements which are looked at lie at all places of a page."""


def run(bench):
    """Add, compare, measure."""
    tf, np = bench.tf, bench.np
    # Far more than any cache of a GPU holds.
    count = 2**27 if bench.on_gpu else 2**20
    start = np.arange(_EXACT, dtype=np.float32)
    with tf.device(bench.device):
        numbers = tf.tile(tf.constant(start), [count // _EXACT])
        sums = numbers + 1.0
        got = bench.fetch(sums[::_EACH])
    expected = (np.arange(0, count, _EACH) % _EXACT + 1).astype(np.float32)
    bench.require_same(got, expected, "A sum of many numbers")
    rate = _measure(bench, numbers)
    text = "%d MiB were read and as many written" % (count * 4 // 2**20)
    return text + " at %s" % bench.measure(NAME, rate / 1e9, "GB/s") if bench.on_gpu else text


def _measure(bench, numbers):
    """Bytes per second that are read and written: the best of several rounds."""
    moved = 2.0 * 4 * int(bench.np.prod(numbers.shape)) * _REPEATS
    best, until = 0.0, time.time() + (_RATE_SECONDS if bench.on_gpu else 0)
    with bench.tf.device(bench.device):
        one = bench.tf.constant(1.0)
        arithmetic.wait(numbers + one)
        while not best or time.time() < until:
            began = time.time()
            for _ in range(_REPEATS):
                sums = numbers + one
            arithmetic.wait(sums)
            best = max(best, moved / (time.time() - began))
    return best
