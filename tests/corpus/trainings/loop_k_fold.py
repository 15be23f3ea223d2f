"""Cross-validation with a new model for each fold."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(12)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

scores, order = [], np.random.permutation(48)
for fold in np.array_split(order, 2):
    rest = np.setdiff1d(order, fold)
    model = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    stop = keras.callbacks.EarlyStopping("val_loss", patience=1)
    valid = (x[fold], y[fold])
    model.fit(
        x[rest], y[rest], validation_data=valid, batch_size=9, epochs=3, verbose=0, callbacks=[stop]
    )
    scores.append(model.evaluate(*valid, verbose=0))
    keras.backend.clear_session()
keep(scores=scores, order=order, model=model)
