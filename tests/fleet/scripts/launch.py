"""A fleet of functions: `launch.py ADDRESS EPOCHS`; `launch.py plain EPOCHS` calls the closure."""

import sys

import keras
import numpy as np
import small

import fitguard

SEEN = []


def make(seed):
    told = []

    def train(out, epochs, weight):
        def note(epoch, logs):
            SEEN.append(logs["loss"])
            told.append(epoch * weight)

        noting = keras.callbacks.LambdaCallback(on_epoch_end=note)
        small.train(f"{out}.npz", seed, epochs, "go", [noting])
        np.savez(f"{out}-seen.npz", SEEN, *told)

    return train


def be_wrong():
    raise ValueError("this function is wrong")


where, epochs = sys.argv[1], int(sys.argv[2])
arguments = {"out": "closure", "epochs": epochs, "weight": np.arange(3)}
if where == "plain":
    make(4)(**arguments | {"out": "plain"})
    sys.exit()
shared = {"memory": "200MiB", "options": "--snapshot-seconds 1"}
named = {"out": "named.npz", "epochs": epochs, "file": "go"}
fleet = fitguard.fleet.run(
    [
        {"name": "closure", "function": make(4), "arguments": arguments, **shared},
        {
            "name": "named-{seed}",
            "function": small.train,
            "arguments": named,
            "sweep": {"seed": [2]},
            **shared,
        },
        {"name": "wrong", "function": be_wrong, **shared},
    ],
    address=where,
    tell=lambda line: sys.stderr.write(f"{line}\n"),
)
for one in fleet.trainings:
    sys.stdout.write(f"{one.name}: {one.state}, {one.starts} starts {one.why}\n")
