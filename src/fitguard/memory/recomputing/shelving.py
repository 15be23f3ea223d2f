"""Shelves in the memory of a device."""

from typing import Any

from fitguard.memory.graph.shelves import Shelves

_ITEM_BYTES = 4


def put_up_shelves(shelves: Shelves, device: str) -> list[Any]:
    """What holds them: they stand as long as these tensors live.

    Args:
        device: As TensorFlow names it.
    """
    import tensorflow as tf

    def take(size: int) -> Any:
        return tf.raw_ops.Empty(shape=[max(size // _ITEM_BYTES, 1)], dtype=tf.float32)

    try:
        with tf.device(device):
            blocks = [(take(size), stays) for size, stays in shelves.list_blocks()]
    except tf.errors.ResourceExhaustedError:
        # Next to nothing is free: the step will say so itself.
        return []
    return [block for block, stays in blocks if stays]
