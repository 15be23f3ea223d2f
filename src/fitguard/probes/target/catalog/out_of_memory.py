"""After it ran out of memory, the device still computes.

## What is done
A block with known numbers is written. Then more memory is asked for than the device has, which must
raise an error. Then the block is read back, a sum is computed, and as much memory is taken as
before. TensorFlow waits ten seconds before it gives up, so this takes a while. On the CPU a limit
of 256 MiB is set for it.

## How it is judged
The error is `ResourceExhaustedError`, the numbers are the same bit for bit, and TensorFlow holds no
more memory than before.

## What a failure means
A training that runs out of memory here cannot go on in the same process: nothing after the error
can be trusted. `fitguard run` replaces the process then.
"""

from ..bench import Skip

NAME = "out-of-memory"
LEVEL = "medium"
SECONDS = 14
LIMIT_SECONDS = 180
ENVIRONMENT = {"TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "256"}

_MIB = 2**20
_TOO_MUCH_GPU = 2**42
_TOO_MUCH_CPU = 512 * _MIB
"""Where the limit of the CPU is not heeded, it must do no harm."""


def run(bench):
    """Ask for too much, then look whether all is well."""
    tf, np = bench.tf, bench.np
    size = (1024 if bench.on_gpu else 96) * _MIB // 4
    known = np.arange(2**20, dtype=np.float32)
    with tf.device(bench.device):
        block = tf.constant(known) * 3.0
        taken = tf.zeros([size])
        before = _ask_use(bench)
        text = _ask_too_much(bench)
        after = _ask_use(bench)
        bench.require_same(bench.fetch(block), known * np.float32(3), "What was there before")
        bench.require_same(
            bench.fetch(block + 1.0), known * np.float32(3) + np.float32(1), "A sum afterwards"
        )
        del taken
        taken = tf.zeros([size])
        bench.require_same(bench.fetch(taken[::4099]), np.zeros(-(-size // 4099), "f4"), "A block")
    if before is not None and after > before:
        raise RuntimeError(
            "After the error TensorFlow holds %d bytes. Expected no more than before: %d"
            % (after, before)
        )
    return "%s; memory was given back, and what was computed then is right" % text


def _ask_too_much(bench):
    """What came of it, in words."""
    tf = bench.tf
    amount = _TOO_MUCH_GPU if bench.on_gpu else _TOO_MUCH_CPU
    try:
        given = tf.zeros([2**16, amount // 4 // 2**16])
    except tf.errors.ResourceExhaustedError:
        return "%s were asked for and refused" % ("4 TiB" if bench.on_gpu else "512 MiB")
    if not bench.on_gpu:
        raise Skip("This TensorFlow heeds no limit of memory on the CPU")
    raise RuntimeError("%s were given to it. Expected ResourceExhaustedError" % (given.shape,))


def _ask_use(bench):
    """Bytes in use of the device; None before TensorFlow 2.5."""
    ask = getattr(bench.tf.config.experimental, "get_memory_info", None)
    if ask is None:
        return None
    try:
        return ask(bench.device.lstrip("/"))["current"]
    except ValueError:
        return None  # of the CPU, before TensorFlow 2.9
