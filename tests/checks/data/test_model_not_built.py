import pytest
from checks.data.made_facts import facts_of, field, model_of
from checks.data.tiny_training import BATCH, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def dataset_of_unknown_columns():
    """Python code that tells no more than the rank of what it makes."""
    import tensorflow as tf

    x, y = table()
    signature = (tf.TensorSpec((None, None), "float32"), tf.TensorSpec((None, 1), "float32"))

    def batches():
        for start in range(0, len(x), BATCH):
            yield x[start : start + BATCH], y[start : start + BATCH]

    return tf.data.Dataset.from_generator(batches, output_signature=signature).prefetch(1)


def unbuilt():
    import keras

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def test_unbuilt_model_cannot_be_built_from_an_open_axis():
    found = only(fitguard.check_data(unbuilt(), dataset_of_unknown_columns()), "FG601")
    assert found.severity == "error"
    assert "the last axis of x" in found.title
    assert "keras.Input((4,))" in found.fix.text
    with pytest.raises(ValueError, match="must be fully-defined"):
        unbuilt().fit(dataset_of_unknown_columns(), verbose=0)


def test_twin_with_an_input_trains_in_silence():
    model = regression()
    assert fitguard.check_data(model, dataset_of_unknown_columns()).findings == ()
    model.fit(dataset_of_unknown_columns(), verbose=0)


def test_unbuilt_model_with_arrays_trains_in_silence():
    x, y = table()
    model = unbuilt()
    assert fitguard.check_data(model, x, y).findings == ()
    model.fit(x, y, verbose=0)


def open_facts(model, **more):
    source = Source(kind="dataset", container="tf.data.Dataset", open_fields=("x",))
    return facts_of(field(**more), model=model, sources=(source,))


def test_own_code_may_shape_its_input():
    data = open_facts(model_of(built=False, kind="subclassed", inputs=None))
    assert run_data("FG601", data).findings[0].confidence == "medium"


def test_tokens_need_no_known_length():
    assert run_data("FG601", open_facts(model_of(built=False), dtype="int32")).findings == ()


def test_without_training_data_it_is_skipped():
    judged = run_data("FG601", facts_of(model=model_of(built=False)))
    assert judged.skipped[0].reason == "no training data was given"
