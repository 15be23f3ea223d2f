"""Run one training step on the CPU with the allocator that counts: prints its peak in bytes.

TF_CPU_ALLOCATOR_USE_BFC=1 python step_child.py '["seen", "vit", "float32", "adam", false]' 32
"""

import json
import sys

import keras
import tensorflow as tf
from batches import optimizer_named, random_batch
from built_models import LOSS, built_model


def main() -> None:
    """One step, without XLA, as the formulas beside it know none either."""
    kind, name, policy, optimizer, _ = json.loads(sys.argv[1])
    keras.config.set_dtype_policy(policy)
    model = built_model(kind, name)
    model.compile(optimizer=optimizer_named(optimizer), loss=LOSS, jit_compile=False)
    model.train_on_batch(*random_batch(model, int(sys.argv[2])))
    print(tf.config.experimental.get_memory_info("CPU:0")["peak"])


if __name__ == "__main__":
    main()
