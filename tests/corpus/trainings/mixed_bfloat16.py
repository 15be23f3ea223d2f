"""Mixed precision with bfloat16 and dropout."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.mixed_precision.set_global_policy("mixed_bfloat16")
keras.utils.set_random_seed(83)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential(
    [layers.Dense(16, "relu"), layers.Dropout(0.3), layers.Dense(1, dtype="float32")]
)
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
