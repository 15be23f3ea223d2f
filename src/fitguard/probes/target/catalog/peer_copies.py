"""Data goes from each device to each other one, unchanged.

## What is done
Random numbers are copied from each device to each other one, and compared bit for bit. Then the
copy is measured. On the CPU two halves of it stand for two devices.

## How it is judged
Every bit has to be the same. The rate is that of the slowest pair. It stands beside NVLink, where
the card has it, and beside the PCIe link where it has not.

## What a failure means
The way between two GPUs changes data. Known causes are an IOMMU or PCIe access control (ACS) in the
way of direct copies, in virtual machines above all: turn them off, or set `NCCL_P2P_DISABLE=1` for
NCCL. A hang at this place has the same causes.
"""

from .. import arithmetic
from ..bench import Skip

NAME = "peer-copies"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 180
SEVERAL = True

_MIB = 2**20


def run(bench):
    """All pairs, both ways."""
    if len(bench.devices) < 2:
        raise Skip("There is one device only")
    np = bench.np
    size = (256 if bench.on_gpu else 1) * _MIB
    pairs = [(one, other) for one in bench.devices for other in bench.devices if one != other]
    rates = {}
    for number, (source, target) in enumerate(pairs):
        sent = np.frombuffer(np.random.RandomState(number).bytes(size), dtype=np.int64)
        with bench.tf.device(source):
            there = bench.tf.identity(bench.tf.constant(sent))
        with bench.tf.device(target):
            copied = bench.tf.identity(there)
        bench.require_same(bench.fetch(copied), sent, "The copy from %s to %s" % (source, target))
        if bench.on_gpu:
            rates[source, target] = arithmetic.measure_copy(bench, there, source, target)
        bench.progress((number + 1.0) / len(pairs))
    text = "%d MiB between %d pairs of devices, each bit the same" % (size // _MIB, len(pairs))
    if not bench.on_gpu:
        return text
    slowest = min(rates, key=rates.get)
    return text + "; the slowest pair is %s to %s with %s" % (
        slowest[0], slowest[1], bench.measure("peer-copy", rates[slowest] / 1e9, "GB/s"),
    )  # fmt: skip
