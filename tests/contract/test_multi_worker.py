"""What is mended for several workers, and what is left alone; real workers: `guarded`."""

from types import SimpleNamespace

import keras
import pytest
import tensorflow as tf
from guarded.attempts import attempt, events

from fitguard.contract.multi_worker import WaitingLimits, mend_build, mend_reduction
from fitguard.schema.journal import Noted


@pytest.fixture
def told():
    return []


@pytest.fixture
def model():
    """Keras' function wants little of a model."""
    return SimpleNamespace(distribute_strategy=tf.distribute.MultiWorkerMirroredStrategy())


def steps():
    """As Keras walks through an epoch: numbers, and an iterator over batches."""
    source = iter([(tf.zeros((4, 2)), tf.zeros(4)), (tf.ones((4, 2)), tf.ones(4))])
    yield 0, 1, source


def broken_build(model, iterator=None, data_batch=None):
    """As in Keras 3.15: what it makes of a batch of several replicas cannot be used."""
    if iterator is not None:
        next(next(iter(iterator))[-1])
        raise ValueError("Attempt to convert a value (PerReplica…)")
    model.built_from = data_batch


def test_a_build_that_fails_gets_the_batch_that_was_read(told, model):
    mend_build(broken_build, told.append)(model, iterator=steps())
    rows, _ = model.built_from
    assert rows.shape == (4, 2)
    assert not rows.numpy().any(), "the first batch, and no further one was read"
    assert told == ["broken_build"]


def test_a_build_that_works_is_left_alone(told, model):
    def build(model, iterator=None, data_batch=None):
        model.built_from = (next(next(iter(iterator))[-1]), data_batch)

    mend_build(build, told.append)(model, iterator=steps())
    assert model.built_from[1] is None
    assert told == []


def test_a_model_that_cannot_be_built_says_so_itself(told, model):
    def build(_, iterator=None, **__):
        if iterator is not None:
            next(next(iter(iterator))[-1])
        raise ValueError("expected shape=(None, 3)")

    with pytest.raises(ValueError, match="expected shape"):
        mend_build(build, told.append)(model, iterator=steps())
    assert told == []


def test_data_that_cannot_be_read_are_not_read_again(told, model):
    def read():
        raise OSError("disk")
        yield

    with pytest.raises(OSError, match="disk"):
        mend_build(broken_build, told.append)(model, iterator=read())
    assert told == []


def test_other_strategies_get_what_keras_does(told):
    model = SimpleNamespace(distribute_strategy=tf.distribute.get_strategy())
    with pytest.raises(ValueError, match="PerReplica"):
        mend_build(broken_build, told.append)(model, iterator=steps())


def test_a_reduction_that_fails_for_numbers_takes_their_mean(told, model):
    def reduce(values, _, reduction):
        assert reduction == "mean"
        return tf.reduce_sum(values, axis=0)

    logs = {"loss": tf.constant(2.0), "accuracy": tf.constant(0.5)}
    reduced = mend_reduction(reduce, told.append)(logs, model.distribute_strategy, "auto")
    assert {name: float(value) for name, value in reduced.items()} == {"loss": 2, "accuracy": 0.5}
    assert told == ["reduce"]


def test_a_reduction_that_works_is_left_alone(told, model):
    def reduce(values, *_):
        return values

    logs = {"loss": tf.constant(2.0)}
    assert mend_reduction(reduce, told.append)(logs, model.distribute_strategy, "auto") is logs
    assert told == []


def test_keras_needs_no_mend_with_one_worker(tmp_path):
    with attempt(tmp_path) as fits:
        with tf.distribute.MultiWorkerMirroredStrategy().scope():
            model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        model.fit(tf.zeros((8, 2)), tf.zeros((8, 1)), verbose=0)
        assert not [note for note in events(fits, Noted) if "MultiWorker" in note.text]


@pytest.mark.parametrize(("own", "expected"), [(None, 30.0), (7.0, 7.0), (0.0, 0.0)])
def test_what_the_script_sets_itself_stays(own, expected):
    given = {}

    def init(extended, _, __, options):
        configure(extended, "standalone", service_leader="/job:worker")
        given.update(timeout_seconds=options.timeout_seconds)

    limits = WaitingLimits(2.5, 30.0)
    configure = limits.wrap_coordination(lambda *_, **more: given.update(more))
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=own)
    limits.wrap_strategy(init)(None, None, None, options)
    assert given["timeout_seconds"] == expected
    assert given["heartbeat_timeout_in_ms"] == 2500
    assert options.timeout_seconds == own


def test_other_strategies_keep_their_heartbeat():
    given = {}
    WaitingLimits(2.5, None).wrap_coordination(lambda *_, **more: given.update(more))(None, "s")
    assert given == {}
