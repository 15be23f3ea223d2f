"""Data goes to the device and back, unchanged.

## What is done
Random bytes are copied from the host to the device and back, and compared bit for bit. Then both
ways are measured.

## How it is judged
Every bit has to be the same. The rates stand beside what the PCIe link of the card can carry. They
reach a part of it only: full rate needs memory that is pinned, and TensorFlow offers no public way
to ask for it. A tenth to a third of the data sheet is usual.

## What a failure means
Bits change on their way: a riser, a slot or the memory of the host is bad, or the card. The kernel
log has PCIe errors (`AER`) where the link noticed. A low rate alone is mostly a slot with fewer
lanes than the card has.
"""

from .. import arithmetic

NAME = "copies"
LEVEL = "quick"
SECONDS = 3
LIMIT_SECONDS = 120

_MIB = 2**20


def run(bench):
    """Compare, then measure."""
    tf, np = bench.tf, bench.np
    size = (256 if bench.on_gpu else 8) * _MIB
    # As numbers of 64 bits: those of 32 may stay in the memory of the host.
    sent = np.frombuffer(np.random.RandomState(11).bytes(size), dtype=np.int64)
    with tf.device("/CPU:0"):
        on_host = tf.constant(sent)
    with tf.device(bench.device):
        on_device = tf.identity(on_host)
    arithmetic.require_on_device(bench, on_device)
    bench.require_same(bench.fetch(on_device), sent, "What came back from the device")
    text = "%d MiB went to the device and back, each bit the same" % (size // _MIB)
    if not bench.on_gpu:
        return text + ". It is the CPU, so nothing was measured"
    to_device = arithmetic.measure_copy(bench, on_host, "/CPU:0", bench.device)
    to_host = arithmetic.measure_copy(bench, on_device, bench.device, "/CPU:0")
    return text + ": %s to it, %s from it" % (
        bench.measure("host-to-device", to_device / 1e9, "GB/s"),
        bench.measure("device-to-host", to_host / 1e9, "GB/s"),
    )
