"""Stateful recurrent layers: each part of a batch begins with the states of its own rows."""

import numpy as np
import pytest

from fitguard.contract.held_variables import is_counted
from fitguard.keras.microbatch import (
    MicroTrainStep,
    describe_unsupported,
    split_evaluation,
    split_prediction,
)
from fitguard.keras.state.model_state import ModelState
from fitguard.schema.exit_codes import UsageError

BATCH, LENGTH, WIDTH, STEPS = 10, 5, 3, 4


@pytest.fixture(params=["keras", "tf_keras"])
def library(request):
    return pytest.importorskip(request.param)


def make(library, kind="lstm", *, jit=False, **more):
    library.utils.set_random_seed(7)
    layers = library.layers
    if kind == "lstm":
        inner = [layers.LSTM(4, stateful=True)]
    else:
        inner = [
            layers.Bidirectional(layers.GRU(4, stateful=True, return_sequences=True)),
            layers.RNN([layers.SimpleRNNCell(4), layers.SimpleRNNCell(3)], stateful=True),
        ]
    first = library.Input(batch_shape=(BATCH, LENGTH, WIDTH))
    model = library.Sequential([first, *inner, layers.Dense(1)])
    model.compile(library.optimizers.SGD(0.1), "mse", metrics=["mae"], jit_compile=jit, **more)
    return model


def batches(rows=BATCH):
    random = np.random.default_rng(3)
    for _ in range(STEPS):
        x = random.normal(size=(rows, LENGTH, WIDTH)).astype("float32")
        yield x, x.sum(axis=(1, 2), keepdims=True)[:, 0]


def arrays():
    """The same, for Keras to cut."""
    return [np.concatenate(parts) for parts in zip(*batches(), strict=True)]


def fit(model):
    model.fit(*arrays(), batch_size=BATCH, shuffle=False, verbose=0)


def assert_same(model, other):
    ours, theirs = ModelState(model).read(), ModelState(other).read()
    same = {name: array for name, array in ours.items() if not is_counted(name)}
    assert any(array.shape == (BATCH, 4) and array.any() for array in same.values())
    for name, array in same.items():
        np.testing.assert_allclose(array, theirs[name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("kind", "rows", "jit"), [("lstm", 4, False), ("nested", 3, False), ("lstm", 5, True)]
)
def test_parts_give_the_states_and_weights_of_whole_batches(library, kind, rows, jit):
    whole, split = make(library, kind, jit=jit), make(library, kind, jit=jit)
    assert describe_unsupported(split) == ""
    fit(whole)
    step = MicroTrainStep(split)
    for batch in batches():
        step(batch, rows)
    assert step.notes == []
    assert_same(whole, split)


def test_a_recomputed_part_has_its_own_states_too(library):
    whole, split = make(library), make(library)
    fit(whole)
    step = MicroTrainStep(split, share=0.5)
    for batch in batches():
        step(batch, 4)
    assert_same(whole, split)


def test_evaluation_and_prediction_in_parts_move_the_states_as_whole_batches_do(library):
    whole, split = make(library), make(library)
    expected = [
        whole.evaluate(*arrays(), batch_size=BATCH, verbose=0),
        whole.predict(arrays()[0], batch_size=BATCH, verbose=0),
    ]
    evaluate, predict = split_evaluation(split), split_prediction(split)
    split.reset_metrics()
    for batch in batches():
        logs = evaluate(batch, 3)
    outputs = [predict((x,), 3) for x, _ in batches()]
    np.testing.assert_allclose([logs["loss"], logs["mae"]], expected[0], rtol=1e-5)
    np.testing.assert_allclose(np.concatenate(outputs), expected[1], rtol=1e-5, atol=1e-6)
    assert_same(whole, split)


def test_a_batch_of_other_rows_than_states_is_an_error(library):
    step = MicroTrainStep(make(library))
    with pytest.raises(UsageError, match=r"batch of 6 rows.* states of 10"):
        step(next(batches(6)), 3)


def test_a_stateful_layer_of_the_users_own_keeps_the_batch_whole(library):
    class Counting(library.layers.Layer):
        stateful = True

    model = library.Sequential([library.Input((2,)), Counting(name="counts")])
    model.compile("sgd", "mse")
    assert "counts is stateful, and is no recurrent layer of Keras" in describe_unsupported(model)


def test_a_model_that_runs_eagerly_stays_whole(library):
    refusal = describe_unsupported(make(library, run_eagerly=True))
    assert "keeps one state for each row" in refusal
    assert "runs eagerly" in refusal
