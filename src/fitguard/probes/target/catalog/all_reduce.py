"""Several devices add up what each of them has, and all get the same sum.

## What is done
`tf.distribute.MirroredStrategy` adds known numbers of each device, in several sizes and types. On
GPUs NCCL does that, as it does with the gradients of each step of a training. On the CPU two halves
of it stand for two devices.

## How it is judged
The numbers are small whole ones, so that the sum is exact in each type. Each device has to have it,
bit for bit.

## What a failure means
Gradients of a training on several GPUs would be wrong, and nothing would say so. If `peer-copies`
fails as well, it is the way between the GPUs. If this one hangs, NCCL waits for a device that does
not answer: run it with `NCCL_DEBUG=INFO`, and try `NCCL_P2P_DISABLE=1`.
"""

from ..bench import Skip

NAME = "all-reduce"
LEVEL = "quick"
SECONDS = 6
LIMIT_SECONDS = 180
SEVERAL = True

_TYPES = ("float32", "float16", "float64")
_SIZES_GPU = (1, 1000, 2**16 + 1, 2**22)
_SIZES_CPU = (1, 1000, 2**14 + 1)
_VALUES = 8
"""Each part is a number below it times that of the device: sums stay exact in float16."""


def run(bench):
    """Add up in each type and size."""
    if len(bench.devices) < 2:
        raise Skip("There is one device only")
    strategy = bench.tf.distribute.MirroredStrategy(devices=bench.devices)
    sizes = _SIZES_GPU if bench.on_gpu else _SIZES_CPU
    for number, dtype in enumerate(_TYPES):
        for size in sizes:
            _check(bench, strategy, dtype, size)
        bench.progress((number + 1.0) / len(_TYPES))
    return "%d devices added up %s in %d sizes: each has the exact sum" % (
        len(bench.devices), ", ".join(_TYPES), len(sizes),
    )  # fmt: skip


def _check(bench, strategy, dtype, size):
    tf, np = bench.tf, bench.np
    count = len(bench.devices)
    pattern = (np.arange(size) % _VALUES).astype(dtype)
    factors = np.arange(1, count + 1).astype(dtype)
    expected = pattern * factors.sum()
    for replica in range(count):
        factors[replica] += bench.spoil_replica(replica)
    # Not inside of the function, where each device would get a copy of them in its graph.
    with tf.device("/CPU:0"):
        numbers = tf.constant(pattern)

    def add_up():
        replica = tf.distribute.get_replica_context()
        own = tf.gather(factors, replica.replica_id_in_sync_group) * numbers
        return replica.all_reduce(tf.distribute.ReduceOp.SUM, own)

    # Named `run` from TensorFlow 2.2 on.
    run_everywhere = getattr(strategy, "run", None) or strategy.experimental_run_v2
    summed = tf.function(lambda: run_everywhere(add_up))()
    results = strategy.experimental_local_results(summed)
    bench.require_same([len(results)], [count], "The number of devices that have a sum")
    for replica, result in enumerate(results):
        what = "The sum of %d numbers in %s on %s" % (size, dtype, bench.devices[replica])
        bench.require_same(bench.fetch(result), expected, what)
