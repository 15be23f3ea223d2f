"""The classic question: 10,000 images of 100x100x3, in batches of 2048, into a small CNN."""

import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--graph", action="store_true", help="without XLA")
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--limit", type=int, help="MiB of the GPU that TensorFlow may take")
parser.add_argument("--deterministic", action="store_true", help="and without TF32")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--images", type=int, default=10_000)
parser.add_argument("--batch", type=int, default=2048)
options = parser.parse_args()

if options.limit:
    gpu = tf.config.list_physical_devices("GPU")[0]
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=options.limit)
    tf.config.set_logical_device_configuration(gpu, [limit])
keras.utils.set_random_seed(1)
if options.deterministic:
    tf.config.experimental.enable_op_determinism()
    tf.config.experimental.enable_tensor_float_32_execution(False)
random = np.random.default_rng(1)
images = random.random((options.images, 100, 100, 3), dtype="float32")
labels = (images[:, :50, :50, 0].mean(axis=(1, 2)) * 4000).astype("int32") % 10
model = keras.Sequential(
    [
        keras.Input((100, 100, 3)),
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dense(10, activation="softmax"),
    ]
)
optimizers = {
    "adam": lambda: keras.optimizers.Adam(),
    "sgd": lambda: keras.optimizers.SGD(0.01, momentum=0.9),
}
# Keras' own choice is XLA on a GPU, but not with deterministic operations.
jit = False if options.graph else True if options.deterministic else "auto"
model.compile(optimizers[options.optimizer](), "sparse_categorical_crossentropy", jit_compile=jit)
history = model.fit(images, labels, batch_size=options.batch, epochs=options.epochs, verbose=2)
names = {f"{n:02d}_{v.path.replace('/', '.')}": np.array(v) for n, v in enumerate(model.weights)}
np.savez(options.out, **names, **history.history)
