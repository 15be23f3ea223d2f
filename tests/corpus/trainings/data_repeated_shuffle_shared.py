"""Three fits over one shuffle that repeats itself: each begins with the order that comes next."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(31)
x = np.random.normal(size=(30, 4)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(6).cache()
data = data.shuffle(50, reshuffle_each_iteration=True).repeat()

losses = []
for number in range(3):
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    scaled = data.map(lambda a, b, scale=number + 1.0: (a * scale, b))
    history = model.fit(scaled, steps_per_epoch=4, epochs=3, verbose=0)
    losses += history.history["loss"]
again = model.fit(data, steps_per_epoch=4, epochs=2, verbose=0)
keep(losses=losses, again=again.history["loss"], model=model)
