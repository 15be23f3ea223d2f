"""Images turned and flipped by layers of Keras, a small convolution, weights of the best epoch."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(99)
x = np.random.uniform(size=(32, 8, 8, 1)).astype("float32")
y = (x.mean(axis=(1, 2)) > 0.5).astype("float32")
augment = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        layers.RandomFlip("horizontal", seed=1),
        layers.RandomRotation(0.1, seed=2),
    ]
)
model = keras.Sequential(
    [augment, layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(1, "sigmoid")]
)
model.compile("adam", "binary_crossentropy")
stop = keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True)
history = model.fit(
    x, y, batch_size=8, epochs=4, verbose=0, validation_split=0.25, callbacks=[stop]
)
keep(history=history, model=model)
