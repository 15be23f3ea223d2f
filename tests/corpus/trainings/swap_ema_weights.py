"""SwapEMAWeights shows averaged weights at the end of each epoch.

Needs: 3.5
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(87)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.02, use_ema=True, ema_momentum=0.8), "mse")
swap = keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
save = keras.callbacks.ModelCheckpoint("e{epoch}.weights.h5", save_weights_only=True)
history = model.fit(
    x, y, batch_size=8, epochs=5, verbose=0, validation_split=0.25, callbacks=[swap, save]
)
keep(history=history, model=model)
