"""A step in micro-batches is the step on the whole batch: models and optimizers of many kinds."""

from typing import Any

import numpy as np
import pytest

CLOSE = 1e-6


def dense(activity_regularizer: str | None = "l2", **compiled: Any) -> Any:
    import keras

    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((6,)),
            layers.Dense(
                8, "relu", kernel_regularizer="l2", activity_regularizer=activity_regularizer
            ),
            layers.Dropout(0.3),
            layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(**{"optimizer": "sgd", "loss": loss, "metrics": ["accuracy"], **compiled})
    return model


def sgd(**more: Any) -> Any:
    import keras

    return lambda: keras.optimizers.SGD(0.1, **more)


@pytest.mark.parametrize(
    "more",
    [
        {"momentum": 0.9, "clipnorm": 0.1, "weight_decay": 0.1},
        {"global_clipnorm": 0.1, "gradient_accumulation_steps": 2},
        {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2},
    ],
    ids=lambda more: next(iter(more)),
)
def test_optimizer_sees_the_gradients_of_the_whole_batch(compare, table, more):
    found = compare(lambda: dense(optimizer=sgd(**more)()), *table, rows=(4, 4, 4, 4))
    assert found.weights < CLOSE
    assert found.logs < CLOSE
    assert found.counters
    assert not found.notes


def test_adam(compare, table):
    found = compare(lambda: dense(optimizer="adam"), *table)
    assert found.weights < CLOSE
    assert found.counters


def test_any_size_of_micro_batch(compare, table):
    found = compare(dense, *table, rows=(1, 3, 5, 10, 64))
    assert found.weights < CLOSE
    assert found.logs < CLOSE


def test_sample_weights_some_of_them_zero(compare, table):
    weights = np.array([0, 0, 0, 0, 1, 2, 0, 0.5, 3, 1], "float32")
    found = compare(lambda: dense(weighted_metrics=["accuracy"]), *table, weights)
    assert found.weights < CLOSE
    assert found.logs < CLOSE


def test_class_weights(table):
    import keras

    from fitguard.keras.microbatch import MicroTrainStep

    x, y = table
    by_class = {0: 1.0, 1: 5.0, 2: 0.1}
    keras.utils.set_random_seed(1)
    whole = dense()
    keras.utils.set_random_seed(1)
    micro = dense()
    whole.train_on_batch(x, y, class_weight=by_class)
    MicroTrainStep(micro)((x, y, np.array([by_class[each] for each in y], "float32")), 4)
    for a, b in zip(whole.get_weights(), micro.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_convolution(compare, rng):
    import keras

    layers = keras.layers

    def make() -> Any:
        model = keras.Sequential(
            [
                keras.Input((8, 8, 3)),
                layers.Conv2D(4, 3, activation="relu"),
                layers.SpatialDropout2D(0.3),
                layers.MaxPooling2D(),
                layers.GroupNormalization(2),
                layers.Flatten(),
                layers.Dense(2, activation="softmax"),
            ]
        )
        model.compile(keras.optimizers.SGD(0.1), "categorical_crossentropy", metrics=["auc"])
        return model

    x = rng.normal(size=(10, 8, 8, 3)).astype("float32")
    y = np.eye(2, dtype="float32")[rng.integers(0, 2, 10)]
    found = compare(make, x, y)
    assert found.weights < CLOSE
    assert found.logs < CLOSE
    assert not found.notes


def test_recurrent_with_masks_and_recurrent_dropout(compare, sentences):
    import keras

    layers = keras.layers

    def make() -> Any:
        model = keras.Sequential(
            [
                keras.Input((7,), dtype="int32"),
                layers.Embedding(11, 4, mask_zero=True),
                layers.LSTM(4, return_sequences=True, dropout=0.2, recurrent_dropout=0.2),
                layers.Dense(1),
            ]
        )
        model.compile("adam", "mse", weighted_metrics=["mae"])
        return model

    found = compare(make, *sentences, rows=(4, 4))
    assert found.weights < CLOSE
    assert found.logs < CLOSE
    assert found.counters


def test_attention(compare, sentences):
    """With SGD: the key's bias has no gradient but rounding, which Adam would make large."""
    import keras

    layers = keras.layers

    def make() -> Any:
        words = keras.Input((7,), dtype="int32")
        embedded = layers.Embedding(11, 4, mask_zero=True)(words)
        attended = layers.MultiHeadAttention(2, 3, dropout=0.2)(embedded, embedded)
        normal = layers.LayerNormalization()(layers.Add()([embedded, attended]))
        model = keras.Model(words, layers.Dense(1)(normal))
        model.compile(keras.optimizers.SGD(0.1, clipnorm=0.2), "mse")
        return model

    found = compare(make, *sentences)
    keys = {id(v) for v in found.whole.variables if v.path.endswith("key/bias")}
    assert len(keys) == 1
    for a, b in zip(found.whole.variables, found.micro.variables, strict=True):
        if id(a) not in keys:
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    assert found.logs < CLOSE


def test_several_outputs_with_weights_and_masks(compare, sentences, rng):
    import keras

    layers = keras.layers

    def make() -> Any:
        words = keras.Input((7,), dtype="int32", name="words")
        more = keras.Input((2,), name="more")
        embedded = layers.Embedding(11, 4, mask_zero=True)(words)
        each = layers.Dense(1, name="each")(embedded)
        last = layers.Dense(3, name="last")(layers.Concatenate()([layers.GRU(3)(embedded), more]))
        model = keras.Model({"words": words, "more": more}, {"each": each, "last": last})
        model.compile(
            keras.optimizers.SGD(0.1),
            {"each": "mse", "last": keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
            loss_weights={"each": 0.3, "last": 2.0},
            metrics={"last": ["accuracy"]},
        )
        return model

    words, numbers = sentences
    x = {"words": words, "more": rng.normal(size=(10, 2)).astype("float32")}
    y = {"each": numbers, "last": rng.integers(0, 3, (10,))}
    found = compare(make, x, y, rows=(4, 4))
    assert found.weights < CLOSE
    assert found.logs < CLOSE
    assert not found.notes


def test_frozen_layers_and_unused_weights(compare, table):
    import keras

    def make() -> Any:
        model = dense()
        model.layers[0].trainable = False
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        return model

    found = compare(make, *table)
    assert found.weights < CLOSE


def test_mixed_precision_scales_the_loss_once_a_step(compare, table):
    """float16 gradients are rounded for each micro-batch: near, and no nearer than float16 is."""
    import keras

    def make() -> Any:
        keras.config.set_dtype_policy("mixed_float16")
        try:
            model = dense(activity_regularizer=None)
        finally:
            keras.config.set_dtype_policy("float32")
        inner = keras.optimizers.SGD(0.1)
        model.compile(
            keras.optimizers.LossScaleOptimizer(inner, dynamic_growth_steps=2),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
        return model

    found = compare(make, *table)
    assert float(found.micro.optimizer.dynamic_scale.numpy()) == 2.0**16
    assert found.counters
    assert found.weights < 2e-3
    assert not found.notes


def test_overflow_in_one_micro_batch_skips_the_step(table):
    import keras

    from fitguard.keras.microbatch import MicroTrainStep

    x, y = table
    x = x.copy()
    x[9] = np.inf
    model = dense(optimizer=keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1)))
    before = model.get_weights()
    MicroTrainStep(model)((x, y), 4)
    assert float(model.optimizer.dynamic_scale.numpy()) == 2.0**14
    for a, b in zip(before, model.get_weights(), strict=True):
        assert (a == b).all()


def test_eager(compare, table):
    def make() -> Any:
        return dense(run_eagerly=True)

    found = compare(make, *table)
    assert found.weights < CLOSE
    assert found.logs < CLOSE


def test_sequences_of_other_lengths_are_traced_once_more_only():
    import keras

    from fitguard.keras.microbatch import MicroTrainStep

    traced = []

    class Counting(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            traced.append(x.shape)
            return x

    model = keras.Sequential(
        [keras.Input((None, 2)), Counting(), keras.layers.GRU(3), keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    step = MicroTrainStep(model)
    step((np.ones((5, 3, 2), "float32"), np.ones((5, 1))), 2)
    step((np.ones((5, 4, 2), "float32"), np.ones((5, 1))), 2)
    often = len(traced)
    for length in (5, 6, 7):
        step((np.ones((6, length, 2), "float32"), np.ones((6, 1))), 4)
    assert len(traced) == often


def test_release_gives_the_sums_back_and_the_next_step_works(table):
    from fitguard.keras.microbatch import MicroTrainStep

    model = dense()
    names = [variable.path for variable in model.variables]
    step = MicroTrainStep(model)
    step(table, 4)
    step.release()
    step(table, 5)
    assert int(model.optimizer.iterations) == 2
    assert [variable.path for variable in model.variables][: len(names)] == names


def test_batch_whose_tensors_have_different_rows():
    from fitguard.keras.microbatch import MicroTrainStep
    from fitguard.schema.exit_codes import UsageError

    with pytest.raises(UsageError, match="same number of rows"):
        MicroTrainStep(dense())((np.ones((4, 6), "float32"), np.ones(5)), 2)


def test_no_rows():
    from fitguard.keras.microbatch import MicroTrainStep
    from fitguard.schema.exit_codes import UsageError

    with pytest.raises(UsageError, match="Received: micro-batches of 0 rows"):
        MicroTrainStep(dense())((np.ones((4, 6), "float32"), np.ones(4)), 0)


def images() -> Any:
    import keras

    layers = keras.layers
    given = value = keras.Input((24, 24, 3))
    for number in range(4):
        new = layers.Conv2D(8, 3, padding="same", activation="gelu")(value)
        new = layers.Dropout(0.2)(layers.LayerNormalization()(new))
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    model = keras.Model(given, layers.Dense(5, activation="softmax")(value))
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
    return model


def test_a_micro_batch_is_recomputed(compare, monkeypatch):
    from fitguard.memory.recomputing import recomputed

    chosen = []
    choose = recomputed.choose

    def keep(*given: Any, **named: Any) -> Any:
        chosen.append(choose(*given, **named))
        return chosen[-1]

    monkeypatch.setattr(recomputed, "choose", keep)
    random = np.random.default_rng(0)
    x = random.normal(size=(20, 24, 24, 3)).astype("float32")
    y = random.integers(0, 5, 20).astype("int32")
    kept = compare(images, x, y, rows=(8, 8))
    found = compare(images, x, y, rows=(8, 8), share=0.5)
    assert found.weights < max(2 * kept.weights, CLOSE)
    assert found.logs < CLOSE
    assert found.counters
    assert chosen[0].count
    assert chosen[0].share < 0.6
