"""A training whose batch does not fit, for the demo: run it with TensorFlow's GPU allocator.

TF_CPU_ALLOCATOR_USE_BFC=1 TF_CPU_BFC_MEM_LIMIT_IN_MB=512 python scripts/demo_failure.py
"""

import keras
import numpy as np

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
images = np.random.default_rng(0).random((1024, 64, 64, 3), dtype="float32")
model.fit(images, np.zeros(1024), batch_size=1024, verbose=2)
