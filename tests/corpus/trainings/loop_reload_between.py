"""A model is saved after the first fit, loaded, and trained on."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(62)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
model.save("half.keras")
model = keras.models.load_model("half.keras")
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
keep(first=first, second=second, model=model)
