"""gradient_accumulation_steps, EMA, weight decay and clipping in one optimizer."""

import keras
import numpy as np

x = np.random.normal(size=(210, 5)).astype("float32")
optimizer = keras.optimizers.Adam(
    1e-2,
    gradient_accumulation_steps=3,
    use_ema=True,
    ema_overwrite_frequency=5,
    weight_decay=1e-3,
    global_clipnorm=1.0,
)
model = keras.Sequential([keras.layers.Dense(6, "relu"), keras.layers.Dense(1)])
model.compile(optimizer, "mse")
model.fit(x, x[:, :1], epochs=3, batch_size=16, verbose=0)
