"""Steps that do not fit later: larger batches, less memory, layers that begin to learn."""

import weakref

import keras
import numpy as np
import pytest
import tensorflow as tf
from guarded.attempts import attempt, events
from guarded.limited import limit
from guarded.limited_fits import BATCH, new_model, train, values

from fitguard.keras.fitting.out_of_memory import let_go
from fitguard.schema.journal import Failed, MicroBatchChosen


@pytest.fixture(autouse=True)
def _enough_memory():
    yield
    limit().assign(10**6)


def test_the_step_after_a_smaller_one_is_taken_back_too(tmp_path):
    class Tighter(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            del logs
            limit().assign(6 if batch == 0 else 3)

    plain = new_model()
    train(plain, epochs=1)
    model = new_model()
    with attempt(tmp_path) as fits:
        train(model, epochs=1, callbacks=[Tighter()])
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6, 3]
    for one, two in zip(values(model), values(plain), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


class Killed(BaseException):
    """The process would have left."""


def die(_):
    raise Killed


def test_the_parent_is_told_the_rows_also_where_the_data_do_not_tell_them(tmp_path, monkeypatch):
    monkeypatch.setattr("fitguard.keras.fitting.step.leave", die)

    def batches():
        for _ in range(3):
            yield np.ones((BATCH, 3), "float32"), np.ones((BATCH, 1), "float32")

    specs = (tf.TensorSpec((None, 3)), tf.TensorSpec((None, 1)))
    data = tf.data.Dataset.from_generator(batches, output_signature=specs)

    class Tighter(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            del logs
            if batch == 2:
                limit().assign(6)

    with attempt(tmp_path) as fits, pytest.raises(Killed):
        new_model().fit(data, verbose=0, callbacks=[Tighter()])
    (failed,) = events(fits, Failed)
    assert (failed.rows, failed.of) == (BATCH, BATCH)


def test_a_larger_batch_is_taken_back_where_batches_are_split(tmp_path):
    rows = (4, 4, 4, 4, 4, 4, 12)

    def batches():
        for number, one in enumerate(rows):
            x = np.random.default_rng(number).normal(size=(one, 3)).astype("float32")
            yield x, x.sum(axis=1, keepdims=True)

    def fit(model):
        specs = (tf.TensorSpec((None, 3)), tf.TensorSpec((None, 1)))
        data = tf.data.Dataset.from_generator(batches, output_signature=specs)
        model.fit(data, verbose=0, callbacks=[Tighter()])

    class Tighter(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            del logs
            if limit() < 100:
                limit().assign(1 if batch == len(rows) - 1 else 2)

    plain = new_model()
    fit(plain)
    limit().assign(2)
    model = new_model()
    with attempt(tmp_path) as fits:
        fit(model)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [2, 1]
    assert events(fits, Failed) == []
    for one, two in zip(values(model), values(plain), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)


def test_parts_are_kept_where_a_new_process_begins_with_a_short_batch(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCH + 4, 3)).astype("float32")
    data = [(x[:4], x[:4].sum(axis=1)), (x[4:], x[4:].sum(axis=1))]

    def fit(model):
        given = tf.data.Dataset.from_generator(
            lambda: iter(data), output_signature=(tf.TensorSpec((None, 3)), tf.TensorSpec((None,)))
        )
        return model.fit(given, verbose=0)

    plain = new_model()
    fit(plain)
    limit().assign(6)
    model = new_model()
    with attempt(tmp_path, micro_batches={"1": 6}) as fits:
        fit(model)
    assert events(fits, MicroBatchChosen) == []
    said = "batches of more than 6 rows are trained in micro-batches of 6: it did not fit"
    assert said in capsys.readouterr().err
    for one, two in zip(values(model), values(plain), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)


def test_what_failed_holds_no_tensor_any_more():
    class Tensor:
        pass

    held = []

    def fails():
        tensor = Tensor()
        held.append(weakref.ref(tensor))
        raise ValueError

    def wraps():
        try:
            fails()
        except ValueError as error:
            raise RuntimeError from error

    with pytest.raises(RuntimeError) as caught:
        wraps()
    error = caught.value
    del caught
    let_go(error)
    assert held[0]() is None


class Unfreeze(keras.callbacks.Callback):
    """The second epoch trains all layers, with an optimizer of its own, and takes more memory."""

    def on_epoch_begin(self, epoch, logs=None):
        del logs
        if epoch == 1:
            limit().assign(self.fits)
            self.model.layers[0].trainable = True
            self.model.compile(keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
            self.model.make_train_function(force=True)

    def __init__(self, fits):
        super().__init__()
        self.fits = fits


def half_frozen():
    model = new_model()
    model.layers[0].trainable = False
    model.compile(keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    return model


def test_layers_that_a_callback_unfreezes_are_taken_back_too(tmp_path):
    plain = half_frozen()
    expected = train(plain, callbacks=[Unfreeze(10**6)])
    limit().assign(10**6)
    model = half_frozen()
    with attempt(tmp_path) as fits:
        history = train(model, callbacks=[Unfreeze(6)])
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    for one, two in zip(values(model), values(plain), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
    for name, wanted in expected.history.items():
        np.testing.assert_allclose(history.history[name], wanted, rtol=1e-5)
