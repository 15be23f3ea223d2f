"""Labels for the unlabeled rows come from the model of the round before."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(75)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (y[:, 0] > 0).astype("float32")
known, rest = x[:16], x[16:]
model = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy")
losses, used, inputs, target = [], [], known, labels[:16]
for _ in range(3):
    losses += model.fit(inputs, target, batch_size=8, epochs=2, verbose=0).history["loss"]
    guess = model.predict(rest, verbose=0)[:, 0]
    sure = np.abs(guess - 0.5) > 0.1
    inputs = np.concatenate([known, rest[sure]])
    target = np.concatenate([labels[:16], np.round(guess[sure])])
    used.append(int(sure.sum()))
keep(losses=losses, used=used, model=model)
