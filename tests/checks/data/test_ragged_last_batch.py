import numpy as np
import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.made_pipelines import source, stages
from checks.data.tiny_training import only

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Training

STATEFUL = {"batch_bound": "memory", "batch_axis": 8}


def stateful():
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input(batch_shape=(8, 5, 3), name="series"),
            keras.layers.GRU(4, stateful=True, name="memory"),
            keras.layers.Dense(1, name="price"),
        ]
    )
    model.compile("sgd", "mse")
    return model


def series(samples: int):
    x = np.random.default_rng(samples).normal(size=(samples, 5, 3)).astype("float32")
    return x, x.mean(axis=(1, 2), keepdims=False)[:, np.newaxis]


def test_the_last_batch_stops_the_training():
    import tensorflow as tf

    x, y = series(20)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        stateful().fit(x, y, batch_size=8, shuffle=False, verbose=0)
    finding = only(fitguard.check_data(stateful(), x, y, batch_size=8, shuffle=False), "FG660")
    assert finding.severity == "error"
    assert finding.title == (
        "The last batch of the training data has 4 samples; memory takes exactly 8"
    )
    assert "x[:16], y[:16]" in finding.fix.text


def test_whole_batches_train():
    x, y = series(16)
    assert fitguard.check_data(stateful(), x, y, batch_size=8, shuffle=False).findings == ()
    history = stateful().fit(x, y, batch_size=8, shuffle=False, verbose=0).history
    assert np.isfinite(history["loss"]).all()


def test_the_validation_stops_after_the_epoch():
    import tensorflow as tf

    (x, y), held_out = series(16), series(12)
    with pytest.raises(tf.errors.InvalidArgumentError):
        stateful().fit(x, y, batch_size=8, shuffle=False, validation_data=held_out, verbose=0)
    report = fitguard.check_data(
        stateful(), x, y, batch_size=8, shuffle=False, validation_data=held_out
    )
    assert "last batch of the validation data has 4 samples" in only(report, "FG660").title


def test_another_batch_size():
    found = only(
        run_data("FG660", facts_of(model=model_of(**STATEFUL), sources=(source(batch_size=10),))),
        "FG660",
    )
    assert found.title.startswith("Batches of the training data have 10 samples; memory takes")


def test_a_pipeline_tells_its_last_batch():
    cut = ("batch", {"batch_size": 8, "drop_remainder": True})
    ragged = ("batch", {"batch_size": 8, "drop_remainder": False})
    for stage, count in ((cut, 0), (ragged, 1)):
        pipeline = stages(("from_tensor_slices", {"elements": 20}), stage, "prefetch")
        read = source(pipeline, batch_size=8, last_batch_size=None)
        judgement = run_data("FG660", facts_of(model=model_of(**STATEFUL), sources=(read,)))
        assert len(judgement.findings) == count


def test_a_training_that_never_comes_to_the_last_batch():
    read = source(batch_size=8, last_batch_size=4, batches=3)
    facts = facts_of(
        model=model_of(**STATEFUL), sources=(read,), training=Training(steps_per_epoch=2)
    )
    assert run_data("FG660", facts).findings == ()


def test_an_unbuilt_layer_takes_the_first_size():
    model = model_of(batch_bound="memory")
    read = source(batch_size=8, last_batch_size=4)
    assert only(run_data("FG660", facts_of(model=model, sources=(read,))), "FG660")


def test_skipped_where_any_size_will_do():
    assert run_data("FG660", facts_of(sources=(source(last_batch_size=3),))).skipped


def test_replicas_of_tf_keras_take_uneven_batches():
    model = model_of(library="tf_keras 2.21.0", replicas=2, batch_statistics=("norm",))
    facts = facts_of(model=model, sources=(source(batch_size=7, last_batch_size=1),))
    assert run_data("FG660", facts).findings == ()


def test_images_of_tf_keras_on_an_empty_replica():
    model = model_of(
        library="tf_keras 2.21.0",
        replicas=2,
        convolutions=("edges",),
        replica_devices="CPU",
        onednn=True,
    )
    facts = facts_of(model=model, sources=(source(batch_size=8, last_batch_size=1),))
    assert "edges fails on an empty batch" in only(run_data("FG660", facts), "FG660").title


@pytest.mark.parametrize(
    "facts",
    [
        {"convolutions": ("edges",), "replica_devices": "GPU", "onednn": True},
        {"convolutions": ("edges",), "replica_devices": "CPU", "onednn": True, "replicas": 1},
        {"convolutions": ("edges",), "replica_devices": "CPU", "onednn": False},
        {},
    ],
    ids=["on-gpus", "one-replica", "without-onednn", "dense"],
)
def test_an_empty_batch_that_is_not_known_to_fail(facts):
    model = model_of(**{"replicas": 2, **facts})
    read = source(batch_size=8, last_batch_size=1)
    assert run_data("FG660", facts_of(model=model, sources=(read,))).findings == ()


def test_old_keras_takes_batches_that_do_not_divide():
    for library, count in (("keras 3.4.1", 0), ("keras 3.5.0", 1), ("keras 3.15.0rc1", 1)):
        model = model_of(library=library, strategy="MirroredStrategy", replicas=2)
        facts = facts_of(model=model, sources=(source(batch_size=7, last_batch_size=7),))
        assert len(run_data("FG660", facts).findings) == count


def test_one_batch_that_does_not_divide_among_four():
    model = model_of(strategy="MirroredStrategy", replicas=4)
    read = source(batch_size=32, samples=30, last_batch_size=30)
    found = only(run_data("FG660", facts_of(model=model, sources=(read,))), "FG660")
    assert found.title == "A single batch of 30 samples cannot be split evenly among 4 replicas"
    assert "the first 28" in found.fix.text
    assert found.fix.changes_results


def test_a_later_batch_need_not_divide():
    model = model_of(strategy="MirroredStrategy", replicas=2, batch_statistics=("norm",))
    read = source(batch_size=8, last_batch_size=3)
    assert run_data("FG660", facts_of(model=model, sources=(read,))).findings == ()
