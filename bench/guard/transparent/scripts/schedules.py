"""LearningRateScheduler, BackupAndRestore, SwapEMAWeights, and a schedule in the optimizer."""

import keras
import numpy as np

x = np.random.normal(size=(100, 6)).astype("float32")
decay = keras.optimizers.schedules.CosineDecay(0.05, 60)
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(6, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Lion(decay, use_ema=True, ema_momentum=0.9), "mse")
callbacks = [keras.callbacks.SwapEMAWeights(), keras.callbacks.BackupAndRestore("backup")]
model.fit(x, x[:, :1], epochs=4, batch_size=10, callbacks=callbacks, verbose=0)
model.compile("ftrl", "mse")
scheduler = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9**epoch)
model.fit(x, x[:, :1], epochs=4, callbacks=[scheduler], verbose=1)
