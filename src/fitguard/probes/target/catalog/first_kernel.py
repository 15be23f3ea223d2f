"""The first kernel runs on the device.

## What is done
Two numbers are added on the device. A build that has no code for this architecture lets the driver
compile it first, which takes up to half an hour; the time is told.

## What a failure means
No code of this build runs on this GPU: its architecture is too old or too new for it, or the driver
does not work. Where it only takes long, the driver compiles. That happens once as long as the cache
(`CUDA_CACHE_PATH`) is kept and large enough (`CUDA_CACHE_MAXSIZE`).
"""

import time

NAME = "first-kernel"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 1800
GATE = 3

_LONG_SECONDS = 10


def run(bench):
    """Add, and look at the clock."""
    tf = bench.tf
    began = time.time()
    with bench.tf.device(bench.device):
        total = tf.constant([1.0, 2.0]) + tf.constant([3.0, 4.0])
    got = bench.fetch(total)
    seconds = time.time() - began
    bench.require_same(got, bench.np.array([4.0, 6.0], dtype="float32"), "a sum of two numbers")
    text = "The first kernel ran after %.1f s" % seconds
    if seconds > _LONG_SECONDS:
        text += ". The driver compiled kernels for this GPU, because the build has none for it"
    return text
