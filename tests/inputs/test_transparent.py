"""Training after the check gives bit for bit what it gives without it."""

import random
import types

import keras
import numpy as np
import pytest
import tensorflow as tf
from inputs import trainings

import fitguard
from fitguard.contract.random_state import keeping_random_state

KINDS = [*trainings.ONE_INPUT, *trainings.TWO_INPUTS]


def trained(given):
    """The weights, the optimizer's state and the losses after two epochs, and what comes next.

    Keras reads a generator ahead in a thread of its own: how much it has drawn from NumPy's global
    generator when training ends is chance. Nothing is traced: it takes seconds, and what is read
    and drawn is the same.
    """
    given.model.run_eagerly = True
    history = given.model.fit(**given.arguments, epochs=2, verbose=0)
    state = [*given.model.get_weights(), *(np.array(v) for v in given.model.optimizer.variables)]
    drawn = [random.random(), float(tf.random.uniform(()))]
    if not isinstance(given.arguments["x"], types.GeneratorType):
        drawn.append(np.random.random())
    return state, history.history, drawn


def assert_equal(one, other):
    for first, second in zip(one[0], other[0], strict=True):
        np.testing.assert_array_equal(first, second)
    assert one[1] == other[1]
    assert one[2] == other[2]


def checked(given, **options):
    report = fitguard.check_data(given.model, **given.arguments, epochs=2, **options)
    arguments = given.arguments | {"x": report.x}
    if "validation_data" in arguments:
        arguments["validation_data"] = report.validation_data
    return report, given._replace(arguments=arguments)


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_kind_of_input(make):
    plain = trained(trainings.fresh(make))
    report, given = checked(trainings.fresh(make))
    assert report.ok, report.findings
    assert report.facts.sources[0].samples_seen > 0, report.facts.sources[0].unread
    assert_equal(plain, trained(given))


@pytest.mark.parametrize("make", [trainings.shuffled, trainings.random_map, trainings.pydataset])
def test_reading_without_care_would_change_it(make):
    """The control: these kinds do move when they are simply iterated."""
    plain = trained(trainings.fresh(make))
    given = trainings.fresh(make)
    stream = given.arguments["x"]
    for index in range(3):
        stream[index] if hasattr(stream, "on_epoch_end") else next(iter(stream))
    moved = trained(given)
    assert any((a != b).any() for a, b in zip(plain[0], moved[0], strict=True))


def test_checking_twice_and_fully():
    plain = trained(trainings.fresh(trainings.random_map))
    given = trainings.fresh(trainings.random_map)
    for full in (False, True, True):
        _, given = checked(given, full=full)
    assert_equal(plain, trained(given))


def test_a_memory_map(tmp_path):
    x, y = trainings.arrays()
    np.save(tmp_path / "x.npy", x)

    def mapped():
        return {"x": np.load(tmp_path / "x.npy", mmap_mode="r"), "y": y}

    plain = trained(trainings.fresh(mapped))
    report, given = checked(trainings.fresh(mapped))
    assert report.facts.fields[0].mapped
    assert given.arguments["x"] is not None
    assert_equal(plain, trained(given))


def test_a_function_that_makes_generators():
    plain = trained(trainings.fresh(trainings.generator))
    given = trainings.fresh(trainings.generator)
    with keeping_random_state():
        report = fitguard.check_data(
            given.model, trainings.endless_batches, steps_per_epoch=4, epochs=2
        )
    assert report.x is trainings.endless_batches
    assert not report.facts.sources[0].handed_back
    assert report.facts.sources[0].samples_seen == 80
    assert_equal(plain, trained(given))


def test_mixed_precision():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        plain = trained(trainings.fresh(trainings.shuffled))
        report, given = checked(trainings.fresh(trainings.shuffled))
        assert report.facts.model.compute_dtype == "float16"
        assert_equal(plain, trained(given))
    finally:
        keras.mixed_precision.set_global_policy("float32")


def test_keras_2():
    import tf_keras

    for make in (trainings.numpy_arrays, trainings.random_map, trainings.generator):
        plain = trained_keras_2(trainings.fresh(make, tf_keras))
        report, given = checked(trainings.fresh(make, tf_keras))
        assert report.ok, report.findings
        assert_equal(plain, trained_keras_2(given))


def trained_keras_2(given):
    history = given.model.fit(**given.arguments, epochs=2, verbose=0)
    state = [*given.model.get_weights(), *(v.numpy() for v in given.model.optimizer.variables)]
    return state, history.history, [random.random(), float(tf.random.uniform(()))]
