"""The real child process, on the CPU with the allocator of GPUs, with and without a limit."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from memory.small_models import recurrent, sequential, training

from fitguard.memory.measuring.data_specs import as_json, from_json
from fitguard.memory.measuring.random_batch import random_batch
from fitguard.memory.measuring.request import Script
from fitguard.memory.measuring.sending import save_model
from fitguard.memory.measuring.trial import Trials
from fitguard.memory.training import Training
from fitguard.schema.exit_codes import UsageError

MIB = 2**20
SCRIPT = """
import keras

def make():
    print("this script prints")
    return keras.Sequential([keras.Input((4096,)), keras.layers.Dense(4096)])
"""


def test_a_saved_model_is_trained_with_room(tmp_path):
    given = training(sequential(keras))
    trials = Trials(
        step=save_model(given, tmp_path),
        batch_size=8,
        jit_compile=False,
        folder=tmp_path,
        device="cpu",
    )
    answer = trials.run(None)
    assert answer.ended == "ran", answer.error
    assert 10_000 < answer.peak_bytes < 500 * MIB


def test_a_script_that_needs_more_than_the_limit(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT)
    step = Script(module="fitguard.cli.measured_step", reference=f"{tmp_path}/train.py:make")
    trials = Trials(step=step, batch_size=2, jit_compile=False, folder=tmp_path, device="cpu")
    answer = trials.run(40)
    assert answer.ended == "out of memory", answer.error


def test_what_cannot_be_sent_is_told(tmp_path):
    class Unsaved(keras.layers.Layer):
        def __init__(self, table):
            super().__init__()
            self.table = table

    model = keras.Sequential([keras.Input((3,)), Unsaved(object()), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(UsageError, match=r"cannot be saved(.|\n)*FUNCTION --measure"):
        save_model(Training(model=model, data=(), jit_compile=False), tmp_path)
    with pytest.raises(UsageError, match="for a function, which cannot be sent"):
        save_model(Training(model=None, data=(), jit_compile=False, step=print), tmp_path)


def test_specs_survive_as_json():
    image = tf.TensorSpec((None, 4, 4, 3), tf.uint8)
    data = ({"a": image, "b": (image,)}, tf.TensorSpec((None,), tf.int32), None)
    assert from_json(as_json(data)) == data
    assert from_json(as_json(image)) == image


def test_random_batches_hold_valid_indices():
    given = training(recurrent(keras))
    tokens, labels = random_batch(given, 500)
    assert tokens.shape == (500, 6)
    assert set(np.unique(tokens)) == set(range(20))
    assert set(np.unique(labels)) == set(range(10))


def test_random_batches_of_any_structure():
    spec = tf.TensorSpec((None, 2), tf.int64)
    texts = tf.TensorSpec((None,), tf.string)
    halves = tf.TensorSpec((3,), tf.bfloat16)
    four = random_batch(
        Training(model=None, data=(spec, {"t": texts}, halves, spec), jit_compile=False), 50
    )
    assert four[0].max() == four[3].max() == 1
    assert four[1]["t"].shape == (50,)
    assert four[2].shape == (3,)
    alone = random_batch(Training(model=None, data=spec, jit_compile=False), 5)
    assert alone.shape == (5, 2)
