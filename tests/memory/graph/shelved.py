"""Large values that go and small ones that stay, in TensorFlow's allocator; run as a script.

Standard input: number and bytes of shelves. Standard output: whether there was room for all.
"""

import json
import sys

import tensorflow as tf

from fitguard.memory.graph.shelves import Shelves
from fitguard.memory.recomputing.shelving import put_up_shelves

MIB = 2**20
SMALL = 512 * 1024
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def take(size: int) -> tf.Tensor:
    return tf.raw_ops.Empty(shape=[size], dtype=tf.uint8, init=False)


def main() -> None:
    # What TensorFlow has taken for itself lies in a region of its own: nothing else may go there.
    filler = take(MIB + MIB // 8)
    region = take(40 * MIB)
    del region
    pins = put_up_shelves(Shelves(*json.load(sys.stdin)), DEVICE)
    large, small = [], []
    for _ in range(4):
        large.append(take(8 * MIB))
        small.append(take(SMALL))
    del large
    try:
        take(30 * MIB)
        json.dump(True, sys.stdout)
    except tf.errors.ResourceExhaustedError:
        json.dump(False, sys.stdout)
    del filler, pins, small


if __name__ == "__main__":
    main()
