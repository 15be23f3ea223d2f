"""TensorFlow's counts of its allocator: our peaks, and the user's."""

import os
import subprocess
import sys

from guarded.harness import memory_limit

SCRIPT = """
import tensorflow as tf
from fitguard.contract.memory_counts import MemoryCounts

MIB = 2**20
user = tf.config.experimental
tf.zeros(1)
counts = MemoryCounts()

def use(megabytes):
    held = tf.zeros(megabytes * MIB // 4)
    del held

def peaks():
    return counts.read("CPU:0")["peak"] // MIB, user.get_memory_info("/device:CPU:0")["peak"] // MIB

# Chunks may be larger than what was asked for.
use(40)
most, same = peaks()
assert most == same >= 40, (most, same)
assert counts.take_peak("CPU:0") // MIB == most
assert peaks() == (0, most), peaks()
use(8)
less, same = peaks()
assert (same, 8 <= less < most) == (most, True), peaks()
user.reset_memory_stats("CPU:0")
assert peaks() == (less, 0), peaks()
use(2)
same, least = peaks()
assert (same, 2 <= least < less) == (less, True), peaks()
assert counts.take_peak("CPU:0") // MIB == less
assert counts.take_peak("CPU:0") // MIB == 0
assert peaks() == (0, least), peaks()
for wrong in ("GPU:7", "nothing"):
    try:
        user.get_memory_info(wrong)
    except ValueError as error:
        print(error)
    else:
        raise AssertionError(wrong)
"""


def test_the_users_peak_is_since_the_users_reset():
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **memory_limit(200)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
