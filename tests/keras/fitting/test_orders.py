"""What the parent orders: micro-batches, no XLA, mixed precision, a snapshot now."""

import keras
import numpy as np
import pytest
import tf_keras
from guarded.attempts import attempt, events

from fitguard.schema.journal import MicroBatchChosen, Noted, SnapshotWritten

X = np.random.default_rng(1).normal(size=(10, 2)).astype("float32")
Y = X.sum(axis=1)


def small_model(library=keras, **compiled):
    library.utils.set_random_seed(1)
    model = library.Sequential([library.layers.Input((2,)), library.layers.Dense(1)])
    model.compile("sgd", "mse", **compiled)
    return model


def test_micro_batches_for_one_fit_for_all_and_too_large_ones(tmp_path):
    plain, model = small_model(), small_model()
    with attempt(tmp_path, micro_batches={"0": 2, "2": 3, "3": 8}) as fits:
        for _ in range(3):
            model.fit(X, Y, batch_size=6, verbose=0, shuffle=False)
    for _ in range(3):
        plain.fit(X, Y, batch_size=6, verbose=0, shuffle=False)
    np.testing.assert_allclose(model.get_weights()[0], plain.get_weights()[0], rtol=1e-5)
    chosen = [(event.fit, event.rows, event.of) for event in events(fits, MicroBatchChosen)]
    assert chosen == [(1, 2, 6), (2, 3, 6)]


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_models_are_compiled_without_xla(library, tmp_path):
    with attempt(tmp_path, jit_off=True):
        model = small_model(library, jit_compile=True)
        assert model.jit_compile is False
    assert small_model(library, jit_compile=True).jit_compile is True


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_layers_without_a_dtype_of_their_own_compute_in_16_bits(library, tmp_path):
    try:
        with attempt(tmp_path, mixed_precision=True):
            model = small_model(library)
            own = library.layers.Dense(1, dtype="float32")
        dense = model.layers[-1]
        assert (dense.compute_dtype, dense.kernel.dtype) == ("float16", "float32")
        assert own.compute_dtype == "float32"
        assert type(model.optimizer).__name__.startswith("LossScaleOptimizer")
    finally:
        library.mixed_precision.set_global_policy("float32")


def test_a_policy_of_the_script_stands(tmp_path):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        with attempt(tmp_path, mixed_precision=True):
            model = small_model()
        assert model.layers[-1].compute_dtype == "bfloat16"
    finally:
        keras.mixed_precision.set_global_policy("float32")


def test_a_snapshot_is_taken_when_it_is_wished_for(keras_trainee, tmp_path):
    class Wishing(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, **_):
            if batch == 3:
                fits.session.heartbeat.wish("snapshot")

    with attempt(tmp_path) as fits:
        # The first wish is there before the first step.
        fits.session.heartbeat.wish("snapshot")
        keras_trainee.fit(epochs=1, callbacks=[Wishing()])
        assert fits.session.heartbeat.read_wish() == "none"
        assert fits.writer.wait()
    places = [event.place.total_steps for event in events(fits, SnapshotWritten)]
    assert places == [0, 4]
    assert events(fits, Noted) == []
