"""The script clears its folder at the top; what the first fit saved is read after the second."""

import os
import shutil

import keras
import numpy as np
from keeping import keep

shutil.rmtree("out", ignore_errors=True)
os.makedirs("out")
keras.utils.set_random_seed(80)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
save = keras.callbacks.ModelCheckpoint("out/first-{epoch}.weights.h5", save_weights_only=True)
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[save])
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
model.load_weights("out/first-2.weights.h5")
keep(first=first, second=second, names=sorted(os.listdir("out")), model=model)
