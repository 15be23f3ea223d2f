"""A CNN with Dropout, BatchNormalization and Adam: `exact.py OUT [--graph] [--mixed] [--dies …]`.

`--dies 300:segfault 600:illegal` kills the process at those steps, each once.
"""

import argparse
import ctypes
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--graph", action="store_true")
parser.add_argument("--mixed", action="store_true")
parser.add_argument("--dataset", action="store_true", help="tf.data instead of arrays")
parser.add_argument("--free", action="store_true", help="without deterministic operations")
parser.add_argument("--epochs", type=int, default=40)
parser.add_argument("--dies", nargs="*", default=[])
options = parser.parse_args()

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry bad()
{
  .reg .u64 %a;
  .reg .u32 %v;
  mov.u64 %a, 16;
  mov.u32 %v, 1;
  st.global.u32 [%a], %v;
  ret;
}
\0"""


def segfault():
    ctypes.string_at(0)


def illegal():
    """A kernel in TensorFlow's own context writes where nothing is."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    print("cuda", cuda.cuInit(0), cuda.cuDeviceGet(ctypes.byref(device), 0))
    print("cuda", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    print("cuda", cuda.cuCtxSetCurrent(context))
    print("cuda", cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    print("cuda", cuda.cuModuleGetFunction(ctypes.byref(function), module, b"bad"))
    print("cuda", cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None), flush=True)


class Trouble(keras.callbacks.Callback):
    def on_train_batch_end(self, *_):
        for death in options.dies:
            step, _, way = death.partition(":")
            mark = Path(f"{options.out}.{way}")
            if self.model.optimizer.iterations == int(step) and not mark.exists():
                mark.touch()
                {"segfault": segfault, "illegal": illegal}[way]()


keras.utils.set_random_seed(3)
if not options.free:
    tf.config.experimental.enable_op_determinism()
if options.mixed:
    keras.mixed_precision.set_global_policy("mixed_float16")
random = np.random.default_rng(3)
x = random.random((6400, 32, 32, 3), dtype="float32")
y = (x[:, :16, :16, 0].mean(axis=(1, 2)) * 900).astype("int32") % 10
model = keras.Sequential(
    [
        keras.Input((32, 32, 3)),
        layers.Conv2D(32, 3, padding="same"),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Conv2D(64, 3, strides=2, activation="relu"),
        layers.Dropout(0.2),
        layers.Conv2D(64, 3, strides=2),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Flatten(),
        layers.Dense(256, activation="relu"),
        layers.Dropout(0.3),
        layers.Dense(10),
        layers.Activation("softmax", dtype="float32"),
    ]
)
# With deterministic operations, Keras' own choice is never XLA.
model.compile(
    "adam", "sparse_categorical_crossentropy", metrics=["accuracy"], jit_compile=not options.graph
)
callbacks = [Trouble()] if options.dies else []
kept = x[:512], y[:512]
if options.dataset:
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(2000, seed=5).batch(64).prefetch(2)
    arguments = {"x": data}
else:
    arguments = {"x": x, "y": y, "batch_size": 64}
history = model.fit(
    **arguments, epochs=options.epochs, validation_data=kept, verbose=2, callbacks=callbacks
)
names = {f"{n:02d}_{v.path.replace('/', '.')}": np.array(v) for n, v in enumerate(model.weights)}
slots = {f"s{n:02d}": np.array(v) for n, v in enumerate(model.optimizer.variables)}
np.savez(options.out, **names, **slots, **history.history)
