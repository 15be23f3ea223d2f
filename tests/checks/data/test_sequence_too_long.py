import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, token_input
from checks.data.tiny_training import BATCH, losses, only, tokens

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def transformer(positions, **compiling):
    """Six tokens, with as many learned positions as asked for."""
    import keras

    class TokenAndPosition(keras.layers.Layer):
        def __init__(self):
            super().__init__(name="embed")
            self.token_embedding = keras.layers.Embedding(10, 4)
            self.position_embedding = keras.layers.Embedding(positions, 4)

        def build(self, shape):
            self.token_embedding.build(shape)
            self.position_embedding.build(shape)

        def call(self, x):
            steps = keras.ops.arange(keras.ops.shape(x)[1])
            return self.token_embedding(x) + self.position_embedding(steps)

    keras.utils.set_random_seed(1)
    inputs = keras.Input((None,), dtype="int32", name="tokens")
    hidden = keras.layers.GlobalAveragePooling1D()(TokenAndPosition()(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
    model.compile("sgd", "mse", **compiling)
    return model


def test_a_step_without_a_position_stops_the_step_on_the_cpu():
    import tensorflow as tf

    x, y = tokens(steps=6)
    model = transformer(positions=5)
    found = only(fitguard.check_data(model, x, y, batch_size=BATCH), "FG644")
    assert found.title.startswith("x has sequences of 6 steps, and embed.position_embedding")
    assert "5 positions" in found.title
    assert "x[:, :5]" in found.fix.text
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 5 is not in \[0, 5\)"):
        losses(model, x, y)


def test_xla_says_nothing():
    x, y = tokens(steps=6)
    assert np.isfinite(losses(transformer(positions=5, jit_compile=True), x, y)).all()


def test_healthy_twin_trains_in_silence():
    x, y = tokens(steps=6)
    model = transformer(positions=6)
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, x, y)).all()


def source(*lengths):
    return Source(
        kind="dataset",
        container="tf.data.Dataset",
        batch_shapes=tuple((32, length) for length in lengths),
    )


def judged(length, *lengths, longest=512):
    model = model_of(token_input(longest=longest, longest_layer="embed.positions"))
    one = field(shape=(length,))
    return run_data("FG644", facts_of(one, model=model, sources=(source(*lengths),))).findings


def test_batches_tell_where_lengths_differ():
    assert "sequences of 600 steps" in judged(None, 300, 600)[0].title
    assert judged(None, 300, 512) == ()


def test_unknown_lengths_and_tables_are_no_verdict():
    assert judged(None) == ()
    assert judged(600, longest=None) == ()


def test_batches_tell_nothing_of_a_second_input():
    model = model_of(token_input(), token_input(name="other", longest=512))
    fields = field(), field(name="x[1]", target="other", shape=(None,))
    facts = facts_of(*fields, model=model, sources=(source(600),))
    assert run_data("FG644", facts).findings == ()
