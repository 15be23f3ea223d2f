"""Callbacks go on where others were, through the same JSON as in a snapshot."""

import functools
import queue
import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from guarded.carrying import brought_back, kept, state_of

from fitguard.keras.fitting.recording import TrainingState
from fitguard.schema.run import Place
from fitguard.state.picture import SMALL_BYTES

LIBRARIES = ["keras", "tf_keras"]


def library(name: str) -> Any:
    import keras
    import tf_keras

    return {"keras": keras, "tf_keras": tf_keras}[name]


def made(keras: Any) -> Any:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    return model


def prepared(callback: Any, model: Any, **params: Any) -> Any:
    callback.set_params({"epochs": 3, "steps": 10, "verbose": 1, **params})
    callback.set_model(model)
    callback.on_train_begin({})
    return callback


def moved(olds: list[Any], news: list[Any]) -> list[str]:
    """Bring the state of some callbacks into others."""
    return brought_back(news, kept(olds))


@pytest.mark.parametrize("name", LIBRARIES)
def test_early_stopping_and_plateau(name: str) -> None:
    keras = library(name)

    def both() -> list[Any]:
        model = made(keras)
        callbacks = keras.callbacks
        stopping = callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True)
        plateau = callbacks.ReduceLROnPlateau("loss", patience=2, factor=0.5)
        return [prepared(one, model) for one in (stopping, plateau, callbacks.History())]

    olds, news = both(), both()
    for epoch, loss in enumerate([1.0, 2.0]):
        for callback in olds:
            callback.on_epoch_end(epoch, {"loss": loss})

    assert moved(olds, news) == []
    for callback in (*olds, *news):
        callback.on_epoch_end(2, {"loss": 3.0})

    for old, new in zip(olds, news, strict=True):
        for attribute in ("wait", "best", "stopped_epoch", "cooldown_counter", "history", "epoch"):
            assert getattr(new, attribute, None) == getattr(old, attribute, None)
    assert news[0].model.stop_training
    assert (news[0].best_weights[0] == olds[0].best_weights[0]).all()
    assert news[2].history == {"loss": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_progress_bar_goes_on_in_the_middle(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    keras = library(name)
    bars = [keras.callbacks.ProgbarLogger(), keras.callbacks.ProgbarLogger()]
    if name == "tf_keras":
        bars = [keras.callbacks.ProgbarLogger("steps") for _ in range(2)]
    old, new = (prepared(bar, made(keras)) for bar in bars)
    for bar in (old, new):
        bar.on_epoch_begin(1)
    for batch in range(6):
        old.on_train_batch_end(batch, {"loss": float(batch)})
    old.progbar._start -= 100
    assert moved([old], [new]) == []
    capsys.readouterr()

    assert (new.seen, new.progbar._seen_so_far) == (6, 6)
    assert new.progbar._values == old.progbar._values
    assert new.progbar._start == pytest.approx(old.progbar._start, abs=5)
    new.on_train_batch_end(6, {"loss": 6.0})
    assert "7/10" in capsys.readouterr().out


@pytest.mark.parametrize("name", LIBRARIES)
def test_checkpoints_know_the_best(name: str, tmp_path: Any) -> None:
    keras, model = library(name), made(library(name))

    def saver() -> Any:
        path = str(tmp_path / "best.weights.h5")
        return keras.callbacks.ModelCheckpoint(
            path, "loss", save_best_only=True, save_weights_only=True
        )

    old, new = prepared(saver(), model), prepared(saver(), model)
    old.on_epoch_begin(0)
    old.on_epoch_end(0, {"loss": 1.0})
    assert moved([old], [new]) == []
    (tmp_path / "best.weights.h5").unlink()
    new.on_epoch_begin(1)
    new.on_epoch_end(1, {"loss": 2.0})

    assert new.best == 1.0
    assert not list(tmp_path.iterdir())


class Averager:
    def __init__(self) -> None:
        self.total = 0.0
        self.file = None


def custom_class(keras: Any) -> Any:
    import tensorflow as tf

    class Custom(keras.callbacks.Callback):  # type: ignore[name-defined, misc]
        def __init__(self, losses: list[float]) -> None:
            super().__init__()
            self.losses = losses
            self.by_epoch: Any = defaultdict(list)
            self.best = np.float32(np.inf)
            self.average = Averager()
            self.random = np.random.default_rng(1)
            self.count = tf.Variable(0)
            self.teacher = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
            self.table = np.zeros(3)
            self.function = functools.partial(len)
            self.traced = tf.function(abs)
            self.batches = tf.data.Dataset.range(3)
            self.data = np.zeros(SMALL_BYTES // 8 + 1)
            self.lines = iter([1])

    return Custom


@pytest.mark.parametrize("name", LIBRARIES)
def test_callbacks_of_the_users_own(name: str) -> None:
    keras = library(name)
    custom, losses = custom_class(keras), [1.0]
    old, new = (prepared(custom(one), made(keras)) for one in ([], losses))
    table = new.table
    old.losses.extend([3.0, 2.0])
    old.by_epoch[1].append((2, "x"))
    old.best = np.float32(0.1)
    old.average.total = 7.5
    old.random.random()
    old.count.assign(5)
    old.table += 2
    old.later = {1, 2}

    content = kept([old])
    assert brought_back([new], content) == []

    assert losses == [3.0, 2.0]
    assert new.losses is losses
    assert new.by_epoch == {1: [(2, "x")]}
    assert new.by_epoch[2] == []
    assert type(new.best) is np.float32
    assert new.best == np.float32(0.1)
    assert new.average.total == 7.5
    assert new.random.random() == old.random.random()
    assert new.count.numpy() == 5
    assert (table == 2).all()
    assert (new.teacher.get_weights()[0] == old.teacher.get_weights()[0]).all()
    assert new.later == {1, 2}
    assert content.array_bytes < 1000


def test_what_cannot_be_kept_is_named() -> None:
    keras = library("keras")

    class Reads(keras.callbacks.Callback):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.lines = (number for number in range(3))
            self.waiting = queue.Queue[int]()
            self.file_writer = object()

    said = state_of([Reads(), Reads()]).step_is_made()

    assert [text.partition(":")[0] for text in said] == [
        f"{Reads.__qualname__}.lines is a Python generator, which cannot tell where it stands",
        f"{Reads.__qualname__}.waiting is a Queue, which can be read only once",
    ]


def test_variables_of_the_model_are_not_stored_twice() -> None:
    keras = library("keras")

    class Looks(keras.callbacks.Callback):  # type: ignore[name-defined, misc]
        def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
            self.again = self.model
            self.layer = self.model.layers[0]
            self.kernel = self.model.layers[0].kernel

    old, new = (prepared(Looks(), made(keras)) for _ in range(2))
    state = TrainingState(old.model, [old])
    state.step_is_made()
    content = state.read(Place())

    assert {name for name in content.arrays if not name.startswith("model/")} == set()
    state = TrainingState(new.model, [new])
    state.write_then(content)
    assert state.write(content) == []


@pytest.mark.parametrize(
    "names", [("get_state", "set_state"), ("state_dict", "load_state_dict")], ids=lambda n: n[0]
)
def test_callbacks_that_say_theirs(names: tuple[str, str]) -> None:
    keras = library("keras")
    told = []
    read, write = names
    says = type(
        "Says",
        (keras.callbacks.Callback,),
        {read: lambda _: {"a": (1, np.ones(2))}, write: lambda _, state: told.append(state)},
    )
    old, new = says(), says()
    old.ignored = iter([])

    assert moved([old], [new]) == []
    assert told[0]["a"][0] == 1
    assert (told[0]["a"][1] == 1).all()


def test_callbacks_that_fail_to_say() -> None:
    keras = library("keras")

    def fails(*_: Any) -> Any:
        raise RuntimeError("no")

    says = type("Says", (keras.callbacks.Callback,), {"get_state": fails, "set_state": fails})
    old, new = says(), says()
    old.count = 3
    assert moved([old], [new]) == []
    assert new.count == 3

    odd = type("Odd", (says,), {"get_state": lambda _: object()})
    old, new = odd(), odd()
    old.count = 4
    assert moved([old], [new]) == []
    assert new.count == 4
    half = type("Half", (keras.callbacks.Callback,), {"get_state": lambda _: 1, "set_state": fails})
    assert "Half.set_state failed: RuntimeError('no')" in moved([half()], [half()])[0]


def test_functions_of_a_lambda_callback() -> None:
    keras = library("keras")

    def made_with(losses: list[float], generator: random.Random) -> Any:
        return keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: losses.append(
                logs["loss"] + epoch + generator.random()
            )
        )

    olds: list[float] = []
    news: list[float] = []
    old, new = made_with(olds, random.Random(1)), made_with(news, random.Random(1))
    content = kept([old])
    old.on_epoch_end(0, {"loss": 1.0})
    content = kept([old])

    assert brought_back([new], content) == []
    for callback in (old, new):
        callback.on_epoch_end(1, {"loss": 1.0})
    assert news == olds
    assert len(news) == 2


def test_others_than_before_are_told() -> None:
    keras = library("keras")
    stopping, history = keras.callbacks.EarlyStopping(), keras.callbacks.History()
    content = kept([stopping, history])

    notes = brought_back([history], content)

    assert any("1 callbacks now, and 2" in note for note in notes)
    assert any("History begins anew: in its place was EarlyStopping" in note for note in notes)


def test_an_object_that_is_gone_is_made_again() -> None:
    custom = custom_class(library("keras"))
    old, new = custom([]), custom([])
    new.average = None

    assert moved([old], [new]) == []
    assert type(new.average) is Averager
