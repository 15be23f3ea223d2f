"""Mixed precision with a loss scale that grows and shrinks."""

import keras
import numpy as np
from keeping import keep

keras.mixed_precision.set_global_policy("mixed_float16")
keras.utils.set_random_seed(14)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.mixed_precision.LossScaleOptimizer(
    keras.optimizers.Adam(0.02), dynamic_growth_steps=3
)
model.compile(optimizer, "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
