"""Dicts of lists of objects of dicts."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(90)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Node:
    def __init__(self, value):
        self.value, self.more = value, {"seen": [value]}


class Tree(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.tree = {"nodes": [], "depth": {"now": 0}}

    def on_epoch_end(self, epoch, logs=None):
        self.tree["nodes"].append(Node(logs["loss"]))
        self.tree["depth"]["now"] += 1
        self.tree["nodes"][0].more["seen"].append(epoch)


tree = Tree()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[tree])
keep(history=history, tree=tree.tree, model=model)
