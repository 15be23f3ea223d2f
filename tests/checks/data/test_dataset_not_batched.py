import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input
from checks.data.tiny_streams import dataset, generator
from checks.data.tiny_training import only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def test_dataset_of_single_samples_stops_training():
    found = only(fitguard.check_data(regression(), dataset(None)), "FG610")
    assert found.severity == "error"
    assert "single samples, not batches: elements of shape (4,)" in found.title
    assert "dataset.batch(32)" in found.fix.text
    with pytest.raises(ValueError, match=r"incompatible shape \(4,\)"):
        regression().fit(dataset(None), verbose=0)


def test_batch_size_of_fit_does_not_help():
    with pytest.raises(ValueError, match=r"incompatible shape \(4,\)"):
        regression().fit(dataset(None), batch_size=16, verbose=0)


def test_batched_twin_trains_in_silence():
    model = regression()
    assert fitguard.check_data(model, dataset()).findings == ()
    model.fit(dataset(), verbose=0)


def test_generator_of_single_samples_stops_training():
    found = only(fitguard.check_data(regression(), zip_of_samples()), "FG610")
    assert found.title.startswith("The generator yields single samples")
    with pytest.raises(ValueError, match="incompatible shape"):
        regression().fit(zip_of_samples(), verbose=0)


def zip_of_samples():
    return ((row, label) for row, label in zip(*table(), strict=True))


def test_generator_of_batches_trains_in_silence():
    model = regression()
    assert fitguard.check_data(model, generator()).findings == ()
    model.fit(generator(), verbose=0)


def single(kind, shape, **source):
    return Source(kind=kind, container=kind, batch_shapes=(shape,), **source)


def test_own_models_and_arrays_are_not_judged():
    stream = single("dataset", (4,), batched=False)
    data = facts_of(field(), model=model_of(kind="subclassed"), sources=(stream,))
    assert run_data("FG610", data).findings == ()
    data = facts_of(field(), sources=(single("arrays", (4,)),))
    assert run_data("FG610", data).findings == ()


def test_batch_that_has_by_chance_the_length_of_a_sample():
    one = single("generator", (4, 4), batched=True)
    square = model_of(table_input(shape=(None, 4, 4)))
    found = run_data("FG610", facts_of(field(shape=(4,)), model=square, sources=(one,)))
    assert len(found.findings) == 1
    assert run_data("FG610", facts_of(field(), sources=(one,))).findings == ()


def test_nothing_is_said_where_batching_is_not_known():
    data = facts_of(field(), sources=(Source(kind="dataset", container="tf.data.Dataset"),))
    assert run_data("FG610", data).findings == ()


def test_batches_that_lack_a_last_axis_of_one_train_in_silence():
    import tensorflow as tf

    x, y = table(1)
    signature = (tf.TensorSpec((None,), "float32"), tf.TensorSpec((None, 1), "float32"))

    def halves():
        yield x[:32, 0], y[:32]
        yield x[32:, 0], y[32:]

    flat = tf.data.Dataset.from_generator(halves, output_signature=signature).prefetch(1)
    assert fitguard.check_data(regression(1), flat).findings == ()
    regression(1).fit(flat, verbose=0)


def test_labels_without_an_axis_tell_single_samples():
    import keras
    import tensorflow as tf

    layers = [keras.Input((8, 8, 1)), keras.layers.Flatten(), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("sgd", "mse")
    images = tf.data.Dataset.from_tensor_slices((tf.zeros((16, 8, 8, 1)), tf.zeros(16)))
    found = only(fitguard.check_data(model, images.prefetch(1), ignore="FG631"), "FG610")
    assert "elements of shape (8, 8, 1)" in found.title
