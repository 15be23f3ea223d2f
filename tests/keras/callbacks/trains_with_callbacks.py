"""Trains with the callbacks of fitguard and the given Keras, and tells what they did."""

import importlib
import json
import os
import sys

os.environ.update(TF_CPU_ALLOCATOR_USE_BFC="1", TF_CPU_BFC_MEM_LIMIT_IN_MB="200")

import numpy as np
import tensorflow as tf

keras = importlib.import_module(sys.argv[1])

import fitguard.keras

x, y = np.zeros((64, 8), "float32"), np.zeros((64, 1), "float32")


def build_model():
    model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


class Keeps(keras.callbacks.Callback):
    """Leaks 4 MB each step."""

    kept = []

    def on_train_batch_end(self, batch, logs=None):
        self.kept.append(tf.random.uniform((1 << 20,)))


class Sees(keras.callbacks.Callback):
    """What stands behind the monitor finds."""

    batches = []

    def on_train_batch_end(self, batch, logs=None):
        self.batches.append(sorted(logs))


monitor = fitguard.keras.MemoryMonitor(every_batches=2)
others = [keras.callbacks.CSVLogger("log.csv"), keras.callbacks.TensorBoard("board"), Sees()]
history = build_model().fit(x, y, epochs=2, batch_size=16, verbose=0, callbacks=[monitor, *others])

pressure = fitguard.keras.StopOnPressure(gpu=0.8, host=None)
fitguard.keras.callbacks.stop_on_pressure._EVERY_SECONDS = 0.0
model = build_model()
model.fit(x, y, epochs=100, batch_size=16, verbose=0, callbacks=[Keeps(), pressure])
del Keeps.kept[:]

calm, leaks = fitguard.keras.StopOnPressure(), fitguard.keras.LeakDetector()
fitguard.keras.callbacks.leak_detector._MEASURE_SECONDS = 0.0
fitguard.keras.callbacks.leak_detector._DETECT_SECONDS = 0.0
model.fit(x, y, epochs=2, batch_size=16, verbose=0, callbacks=[calm, leaks])

told = {
    "history": history.history,
    "batches": Sees.batches,
    "reason": pressure.reason,
    "calm": calm.reason,
    "leaks": len(leaks.found),
    "measured": sorted(leaks._record.build().columns),
    "is_callback": isinstance(monitor, keras.callbacks.Callback),
    "weights": [array.tolist() for array in model.get_weights()],
}
print(json.dumps(told))
