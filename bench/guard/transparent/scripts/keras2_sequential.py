"""tf_keras: Sequential on arrays, callbacks, two fits."""

import numpy as np
import tf_keras as keras

x = np.random.normal(size=(200, 6)).astype("float32")
y = (x[:, 0] > 0).astype("float32")
model = keras.Sequential(
    [
        keras.layers.Dense(8, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
stop = keras.callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True)
model.fit(x, y, epochs=5, validation_split=0.2, callbacks=[stop], verbose=0)
model.compile("rmsprop", "binary_crossentropy", steps_per_execution=3)
model.fit(x, y, epochs=3, batch_size=20, verbose=0)
