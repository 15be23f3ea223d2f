"""Files that TensorFlow and h5py write, of which no audit event tells."""

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from guarded.files import attempt

from fitguard.keras.world.named import find_callback_paths


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model() -> keras.Model:
    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="only")])


def test_all_that_keras_and_tensorflow_save_is_seen(model: keras.Model) -> None:
    with attempt(1) as world:
        world.on_import()
        model.save_weights("a.weights.h5")
        model.save("a.keras")
        tf.train.Checkpoint(model=model).save("checkpoints/c")
        tf.io.gfile.makedirs("tuner/deep")
        tf.io.write_file("tuner/deep/trial.json", "{}")
        found = list(world.read()["files"])
    assert found == [
        "a.keras",
        "a.weights.h5",
        "checkpoints/c-1.data-00000-of-00001",
        "checkpoints/c-1.index",
        "checkpoints/checkpoint",
        "tuner/deep/trial.json",
    ]


def test_what_tensorflow_removed_is_put_back(model: keras.Model) -> None:
    with attempt(1) as world:
        world.on_import()
        tf.io.gfile.makedirs("tuner")
        model.save_weights("tuner/a.weights.h5")
        moment = world.read()
    weights = model.get_weights()
    model.set_weights([np.zeros_like(array) for array in weights])
    with attempt(2) as world:
        tf.io.gfile.rmtree("tuner")
        assert world.write(moment) == []
        model.load_weights("tuner/a.weights.h5")
    assert all(np.array_equal(*pair) for pair in zip(weights, model.get_weights(), strict=True))


def test_no_line_that_tensorflow_appends_stands_twice() -> None:
    for number in (1, 2):
        with attempt(number) as world:
            world.on_import()
            for line in ("a\n", "b\n"):
                with tf.io.gfile.GFile("log.txt", "a") as log:
                    log.write(line)
    assert Path("log.txt").read_text() == "a\nb\n"


def test_names_of_callbacks_are_looked_at_and_others_are_not() -> None:
    callbacks = [
        keras.callbacks.ModelCheckpoint("best-{epoch}.keras", monitor="val_loss"),
        keras.callbacks.TensorBoard("logs/here"),
    ]
    assert find_callback_paths(callbacks) == {
        str(Path(name).absolute()) for name in ("best-", "logs/here")
    }
    with attempt(1) as world:
        for name in ("best-1.keras", "logs/here/train/events", "logs/there/events", "other.keras"):
            tf.io.write_file(name, "x")
        assert list(world.read(callbacks)["files"]) == ["best-1.keras", "logs/here/train/events"]
