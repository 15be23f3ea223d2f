"""One epoch a fit, in a loop that decides what comes next."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(77)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.1), "mse")
losses, rates = [], []
for epoch in range(6):
    done = model.fit(x, y, batch_size=8, epochs=1, verbose=0)
    losses.append(done.history["loss"][0])
    if epoch and losses[-1] > 0.6 * losses[-2]:
        model.optimizer.learning_rate = float(model.optimizer.learning_rate) * 0.5
    rates.append(float(model.optimizer.learning_rate))
keep(losses=losses, rates=rates, model=model)
