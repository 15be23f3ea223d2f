"""Checkpoints whose files cannot be named."""

import keras
import pytest

from fitguard.memory.fit_call import FitCall
from fitguard.readiness.naming import find_unnamable

VALIDATED = {"validation_split": 0.2}


def look(path, *others, model=None, metrics=("loss", "accuracy"), save_freq="epoch", **arguments):
    """What is said of a checkpoint with this path."""
    model = model or keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    checkpoint = keras.callbacks.ModelCheckpoint(path, save_freq=save_freq)
    call = FitCall(model=model, method="fit", arguments=arguments, line=1, metrics=metrics)
    return list(find_unnamable(call, [*others, checkpoint]))


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("{epoch:02d}.keras", {}),
        ("{epoch}-{loss:.3f}-{accuracy:.2f}.keras", {}),
        ("{val_loss:.2f}.keras", VALIDATED),
        ("{out_accuracy}-{accuracy_1}-{val_out_loss}.keras", VALIDATED),
        ("{val_loss}.keras", {**VALIDATED, "validation_freq": [1, 2]}),
        ("{batch:05d}-{loss}.keras", {"save_freq": 5}),
        ("{{x}}.keras", {}),
        ("{accuracy[0]}.keras", {}),
    ],
)
def test_names_that_the_logs_have(path, arguments):
    assert look(path, **arguments) == []


@pytest.mark.parametrize(
    ("path", "arguments", "name"),
    [
        ("ck/{nosuch:.2f}.keras", {}, "nosuch"),
        ("{val_acc}.keras", VALIDATED, "val_acc"),
        ("{val_loss}.keras", {}, "val_loss"),
        ("{val_loss}.keras", {**VALIDATED, "save_freq": 5}, "val_loss"),
        ("{val_loss}.keras", {**VALIDATED, "validation_freq": 2}, "val_loss"),
        ("{batch}.keras", {}, "batch"),
    ],
)
def test_names_that_they_do_not_have(path, arguments, name):
    [told] = look(path, **arguments)
    title, _, text = told.partition("\n")
    assert title == f"ModelCheckpoint cannot name its file {path}: the logs will have no {name}"
    assert text.startswith("It can use epoch, ")
    assert ("val_loss" in text) == (arguments == VALIDATED)


def test_what_is_no_format():
    [told] = look("{}.keras")
    assert "cannot name its file {}.keras: " in told
    [told] = look("{loss:02d}.keras")
    assert "Unknown format code 'd'" in told


class OwnStep(keras.Model):
    """Logs what it likes."""

    def train_step(self, data):
        return {"nosuch": len(data)}


class OwnLayer(keras.layers.Layer):
    """May make a metric when it is built."""


class OwnCallback(keras.callbacks.Callback):
    """May add to the logs."""


def test_where_names_cannot_be_known_nothing_is_said():
    path = "{nosuch}.keras"
    assert look(path, metrics=()) == []
    assert look(path, model=OwnStep()) == []
    assert look(path, model=keras.Sequential([OwnLayer()])) == []
    assert look(path, OwnCallback()) == []
    assert look(path, keras.callbacks.LambdaCallback()) == []


def test_callbacks_that_log_the_learning_rate():
    scheduler = keras.callbacks.LearningRateScheduler(float)
    assert look("{learning_rate}.keras", scheduler) == []
    assert look("{learning_rate}.keras")
