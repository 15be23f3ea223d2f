"""OrderedDict with an order that changes, ranges, slices, array.array, StringIO."""

import array
import collections
import io

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(42)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Contain(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.recent = collections.OrderedDict(a=1, b=2, c=3)
        self.window, self.numbers = range(3), array.array("d", [1.0])
        self.text = io.StringIO()

    def on_epoch_end(self, epoch, logs=None):
        self.recent.move_to_end(next(iter(self.recent)))
        self.window = range(epoch, epoch + 3)
        self.numbers.append(logs["loss"])
        self.text.write(f"{epoch} ")
        self.model.optimizer.learning_rate = 0.01 / len(self.numbers)


contain = Contain()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[contain])
keep(
    history=history,
    recent=list(contain.recent),
    window=list(contain.window),
    numbers=list(contain.numbers),
    text=contain.text.getvalue(),
    model=model,
)
