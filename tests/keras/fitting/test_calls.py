"""Which `fit` calls are guarded, and what of a script's habits must not disturb that."""

import os
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf
from guarded.attempts import Killed, attempt, events

from fitguard.contract.libraries import Library
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.journal import Failed, FitBegan, FitEnded, Logged, Noted
from fitguard.schema.run import Place

X = np.arange(24.0, dtype="float32").reshape(12, 2)
Y = X.sum(axis=1)


def small_model(cls=keras.Sequential, name=None, **compiled):
    keras.utils.set_random_seed(1)
    model = cls([keras.layers.Input((2,)), keras.layers.Dense(1)], name=name)
    model.compile(**{"optimizer": "sgd", "loss": "mse", **compiled})
    return model


def steps(fits):
    """Of each call that ended: its number, and how many."""
    return [(event.place.fit, event.place.total_steps) for event in events(fits, FitEnded)]


def test_a_fit_inside_of_a_fit_is_left_alone(keras_trainee, tmp_path, assert_same):
    inner = small_model()
    weights = inner.get_weights()

    class Nested(keras.callbacks.Callback):
        def on_train_begin(self, *_):
            inner.fit(X, Y, verbose=0)

        def on_epoch_end(self, epoch, *_):
            if epoch == 0:
                inner.fit(X, Y, verbose=0, validation_data=(X, Y))

    def fit(die_at=0):
        inner.set_weights(weights)
        keras_trainee.fresh()
        return keras_trainee.fit(
            callbacks=[Nested()],
            die_at=die_at,
            validation_data=(keras_trainee.x, keras_trainee.y),
        )

    expected = fit().history
    plain = keras_trainee.values()
    with pytest.raises(Killed), attempt(tmp_path) as fits:
        fit(die_at=9)
    logged = [event for event in events(fits, Logged) if event.epoch_end]
    assert [event.place.fit for event in logged] == [1]
    assert fits.begun == 1
    with attempt(tmp_path, 2) as fits:
        history = fit()
    assert history.history == expected
    assert_same(keras_trainee.values(), plain)
    assert events(fits, FitBegan)[-1].place == Place(fit=1, epoch=1, step=2, total_steps=8)
    assert steps(fits) == [(1, 18)]


def test_threads_have_calls_of_their_own(tmp_path):
    models = [small_model(name=f"of_thread_{number}") for number in range(2)]
    both = threading.Barrier(2, timeout=300)

    class Together(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, *_):
            if epoch < 2:
                both.wait()

    def train(number):
        models[number].fit(
            X, Y * (number + 1), batch_size=4, epochs=3, verbose=0, callbacks=[Together()]
        )

    def train_all():
        threads = [threading.Thread(target=train, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [model.get_weights() for model in models]

    first = [model.get_weights() for model in models]
    expected = train_all()
    for model, weights in zip(models, first, strict=True):
        model.set_weights(weights)
    with attempt(tmp_path, snapshot_seconds=0.0) as fits:
        guarded = train_all()
    for one, two in zip(guarded, expected, strict=True):
        np.testing.assert_allclose(one[0], two[0], rtol=1e-6)
    assert sorted(steps(fits)) == [(1, 9), (2, 9)]
    assert fits.current is None
    said = [event.text for event in events(fits, Noted)]
    assert any("in threads" in text for text in said)

    # In the next process the threads begin in the other order: nobody gets the other's weights.
    names = {event.place.fit: event.model for event in events(fits, FitBegan)}
    swapped = small_model(name=names[2])
    with attempt(tmp_path, 2) as fits:
        swapped.fit(X, Y, batch_size=4, epochs=1, verbose=0)
    assert "does not fit this training" in events(fits, Noted)[-1].text
    assert not events(fits, FitBegan)[-1].restored


def test_a_forked_process_trains_plainly(tmp_path):
    with attempt(tmp_path) as fits:
        # Not Keras' own: threads of TensorFlow do not survive a fork.
        guarded = fits.fit(lambda model: (model, fits.current), Library("keras"))
        child = os.fork()
        if not child:
            os._exit(0 if guarded("model") == ("model", None) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert fits.begun == 0


class Own(keras.Sequential):
    """A model with a `fit` of its own."""

    def fit(self, *args, **kwargs):
        super().fit(*args, **{**kwargs, "epochs": 1})
        return super().fit(*args, **kwargs)


def test_a_fit_of_the_users_own_has_a_call_for_each_that_it_makes(tmp_path):
    model = small_model(Own)
    with attempt(tmp_path) as fits:
        history = model.fit(X, Y, batch_size=4, epochs=2, verbose=0)
    assert history is model.history
    assert steps(fits) == [(1, 3), (2, 6)]


def test_a_train_function_that_a_callback_makes_anew_counts(tmp_path):
    def unfrozen():
        keras.utils.set_random_seed(1)
        layers = [keras.layers.Dense(2, trainable=False), keras.layers.Dense(1)]
        model = keras.Sequential([keras.layers.Input((2,)), *layers])
        model.compile("sgd", "mse")

        class Unfreeze(keras.callbacks.Callback):
            def on_epoch_begin(self, epoch, *_):
                if epoch == 1:
                    layers[0].trainable = True
                    model.compile("sgd", "mse")
                    model.make_train_function()

        return model, Unfreeze()

    plain, callback = unfrozen()
    plain.fit(X / 9, Y, batch_size=4, epochs=3, verbose=0, callbacks=[callback])
    model, callback = unfrozen()
    with attempt(tmp_path, micro_batches={"2": 2}) as fits:
        model.fit(X / 9, Y, batch_size=4, epochs=3, verbose=0, callbacks=[callback])
        native = model.train_function
        for one, two in zip(model.get_weights(), plain.get_weights(), strict=True):
            np.testing.assert_array_equal(one, two)
        model.fit(X / 9, Y, batch_size=4, epochs=1, verbose=0)
    plain.fit(X / 9, Y, batch_size=4, epochs=1, verbose=0)
    assert model.train_function is native
    for one, two in zip(model.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5)
    assert steps(fits) == [(1, 9), (2, 3)]


def test_a_callback_may_train_on_data_of_its_own(tmp_path):
    class More(keras.callbacks.Callback):
        def on_train_batch_begin(self, _batch, **_):
            self.model.train_on_batch(X[:2], Y[:2])

    plain = small_model()
    plain.fit(X / 9, Y, batch_size=4, verbose=0, callbacks=[More()])
    model = small_model()
    with attempt(tmp_path, micro_batches={"1": 2}):
        model.fit(X / 9, Y, batch_size=4, verbose=0, callbacks=[More()])
    np.testing.assert_allclose(model.get_weights()[0], plain.get_weights()[0], rtol=1e-5)


def test_an_interrupt_leaves_all_in_order(keras_trainee, tmp_path):
    class Interrupting(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, **_):
            if batch == 2:
                raise KeyboardInterrupt

    native = keras_trainee.model.train_function
    with attempt(tmp_path) as fits:
        with pytest.raises(KeyboardInterrupt):
            keras_trainee.fit(callbacks=[Interrupting()])
        assert fits.current is None
        assert Heartbeat(fits.session.folder.heartbeat).read().phase == "idle"
        keras_trainee.fit(epochs=1)
    assert keras_trainee.model.train_function is native
    # Nothing failed: somebody wanted it.
    assert events(fits, Failed) == []
    assert steps(fits) == [(2, 6)]


def test_wrong_arguments_get_the_words_of_keras(keras_trainee, tmp_path):
    with pytest.raises(TypeError) as plain:
        keras_trainee.model.fit(keras_trainee.x, colour="blue")
    with pytest.raises(ValueError, match="cardinality") as wrong_plain:
        keras_trainee.model.fit(keras_trainee.x, keras_trainee.y[:3], verbose=0)
    with attempt(tmp_path) as fits:
        with pytest.raises(TypeError) as guarded:
            keras_trainee.model.fit(keras_trainee.x, colour="blue")
        with pytest.raises(ValueError, match="cardinality") as wrong:
            keras_trainee.model.fit(keras_trainee.x, keras_trainee.y[:3], verbose=0)
    assert str(guarded.value) == str(plain.value)
    assert str(wrong.value) == str(wrong_plain.value)
    (failed,) = events(fits, Failed)
    assert failed.error.startswith("ValueError")


def test_numbers_of_numpy_are_as_good(keras_trainee, tmp_path):
    with attempt(tmp_path) as fits:
        keras_trainee.fit(epochs=np.int64(2), batch_size=np.int32(11), steps_per_epoch=np.int8(2))
    (began,) = events(fits, FitBegan)
    assert (began.epochs, began.batch_size, began.steps_per_epoch) == (2, 11, 2)
    assert steps(fits) == [(1, 4)]


def test_calls_without_a_step(keras_trainee, tmp_path):
    empty = tf.data.Dataset.from_tensor_slices((keras_trainee.x, keras_trainee.y)).take(0).batch(2)
    plain = keras_trainee.model.fit(empty, verbose=0)
    for number in (1, 2):
        with attempt(tmp_path, number, snapshot_seconds=0.0) as fits:
            assert keras_trainee.fit(epochs=0).history == {}
            history = keras_trainee.model.fit(empty, verbose=0)
        assert history.history == plain.history
    # Nothing was worth to be written down: both are called again.
    assert [event.library for event in events(fits, FitBegan)] == [f"keras {keras.__version__}"] * 4
    assert steps(fits) == [(1, 0), (2, 0)] * 2


@pytest.mark.parametrize("how", ["initial_epoch", "steps_per_execution", "run_eagerly"])
def test_ways_to_train(how, tmp_path, monkeypatch):
    given = {"initial_epoch": 3} if how == "initial_epoch" else {}
    compiled = {} if given else {how: {"steps_per_execution": 2, "run_eagerly": True}[how]}

    class InFifthEpoch(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, *_):
            self.epoch = epoch
            if epoch == 4 and "DIES" in os.environ:
                fits.session.heartbeat.wish("snapshot")

        def on_train_batch_end(self, batch, **_):
            # Number 1 is the second batch, or the end of two.
            if self.epoch == 4 and batch == 1 and "DIES" in os.environ:
                raise Killed

    model = small_model(**compiled)
    beginning = model.get_weights()

    def fit():
        keras.utils.set_random_seed(1)
        model.set_weights(beginning)
        history = model.fit(
            X / 9, Y, batch_size=4, epochs=5, verbose=0, callbacks=[InFifthEpoch()], **given
        )
        return model.get_weights(), history

    (expected, _), plain = fit()
    monkeypatch.setenv("DIES", "1")
    with attempt(tmp_path) as fits, pytest.raises(Killed):
        fit()
    monkeypatch.delenv("DIES")
    with attempt(tmp_path, 2) as fits:
        (weights, _), history = fit()
    np.testing.assert_array_equal(weights, expected)
    assert history.history == plain.history
    assert history.epoch == plain.epoch
    epochs = 2 if given else 5
    assert events(fits, FitBegan)[-1].place.total_steps == 3 * (epochs - 1)
    assert steps(fits) == [(1, 3 * epochs)]


def test_callbacks_in_any_form(keras_trainee, tmp_path):
    def end(**callbacks):
        keras_trainee.fresh()
        model = keras_trainee.model
        return model.fit(
            keras_trainee.x, keras_trainee.y, epochs=2, batch_size=4, verbose=0, **callbacks
        )

    class Count(keras.callbacks.Callback):
        batches = 0

        def on_train_batch_end(self, _batch, **_):
            self.batches += 1

    expected = end().history
    single, listed = Count(), Count()
    with attempt(tmp_path) as fits:
        assert end(callbacks=single).history == expected
        whole = keras.callbacks.CallbackList(
            [listed], add_history=True, model=keras_trainee.model, epochs=2, steps=6
        )
        history = end(callbacks=whole)
    assert history.history == expected
    assert history is keras_trainee.model.history
    assert (single.batches, listed.batches) == (12, 12)
    assert steps(fits) == [(1, 12), (2, 12)]


def test_two_fits_of_one_model_with_other_data(keras_trainee, tmp_path, assert_same):
    def both(die_at=0):
        keras_trainee.fresh()
        dataset = tf.data.Dataset.from_tensor_slices((keras_trainee.x, keras_trainee.y))
        shuffled = dataset.shuffle(22).batch(5)
        keras_trainee.fit(x=shuffled, batch_size=None)
        keras_trainee.fit(epochs=1)
        return keras_trainee.fit(x=shuffled, batch_size=None, die_at=die_at).history

    # The script sets the seed of TensorFlow, so that plain runs shuffle alike.
    expected = both()
    plain = keras_trainee.values()
    with attempt(tmp_path, snapshot_seconds=0.0), pytest.raises(Killed):
        both(die_at=8)
    with attempt(tmp_path, 2) as fits:
        history = both()
    assert history == expected
    assert_same(keras_trainee.values(), plain)
    restored = [event.restored for event in events(fits, FitBegan) if event.attempt == 2]
    assert restored == [True, True, False]
