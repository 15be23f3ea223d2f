"""Whatever `fit` might be given: `check_data` answers in time, moves nothing, and never crashes."""

import random
import re
import signal
import threading
import time
import tracemalloc

import keras
import numpy as np
import pytest
import tensorflow as tf
from inputs import trainings
from keras import layers
from programs import LONGEST_SECONDS

import fitguard

X, Y = trainings.arrays()
"""For a budget of 2 seconds, on a machine that is busy with other tests."""


def check(x, y=None, **options):
    return fitguard.check_data(trainings.model(), x, y, **options)


def source(report):
    return report.facts.sources[0]


def dataset():
    return tf.data.Dataset.from_tensor_slices((X, Y))


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    assert not {thread for thread in threading.enumerate() if thread.is_alive()} - before


class Broken:
    """Says that it is an array, and is none."""

    shape = (67, 6)

    def __array__(self, *_, **__):
        raise RuntimeError("the file is gone")


class Batches(keras.utils.PyDataset):
    """A PyDataset; subclasses break it."""

    def __len__(self):
        return 7

    def __getitem__(self, index):
        return X[index * 10 : index * 10 + 10], Y[index * 10 : index * 10 + 10]


class NoLength(Batches):
    def __len__(self):
        raise RuntimeError("no length yet")


class Empty(Batches):
    def __getitem__(self, index):
        return None


class Unreadable(Batches):
    def __getitem__(self, index):
        return Broken(), Y[:10]


class Stopping(Batches):
    def __getitem__(self, index):
        raise StopIteration


class Uncopied(Batches):
    def __reduce_ex__(self, protocol):
        raise TypeError("cannot be copied")


@pytest.mark.parametrize(
    ("made", "failure", "malformed"),
    [
        (NoLength, "no length yet", None),
        (Stopping, "StopIteration", None),
        (Empty, None, "without any array"),
        (Unreadable, None, "the file is gone"),
        (Uncopied, None, None),
    ],
)
def test_pydatasets_that_break(made, failure, malformed):
    report = check(made())
    for found, told in ((source(report).failure, failure), (source(report).malformed, malformed)):
        assert told in found.error if told else found is None
    assert report.ok == (failure is malformed is None)


def test_a_pydataset_with_much_in_it_is_not_copied():
    class Full(Batches):
        def __init__(self):
            super().__init__()
            self.deep = [{"a": {"b": [np.zeros(100_000_000, "float32")]}}]
            self.many = [np.zeros(1_000_000, "float32") for _ in range(100)]
            self.names = [str(number) for number in range(1_000_000)]
            self.model = trainings.model()

    full = Full()
    tracemalloc.start()
    report = check(full, budget_seconds=LONGEST_SECONDS)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < full.deep[0]["a"]["b"][0].nbytes / 4
    assert source(report).complete


def test_a_pydataset_that_holds_a_generator_is_left_alone():
    class Holding(Batches):
        def __init__(self):
            super().__init__()
            self.numbers = iter([1, 2, 3])
            self.lines = (line for line in ["a", "b"])

        def __getitem__(self, index):
            next(self.lines)
            return super().__getitem__(index)

    holding = Holding()
    assert "read only once" in source(check(holding)).unread
    assert list(holding.lines) == ["a", "b"]


def test_code_that_changes_a_large_array_is_not_read():
    counts = np.zeros(20_000_000, "float32")

    def rows():
        counts[0] += 1
        yield X[0], Y[0]

    spec = (tf.TensorSpec((trainings.FEATURES,)), tf.TensorSpec((), tf.int64))
    report = check(tf.data.Dataset.from_generator(rows, output_signature=spec).batch(1))
    assert "changes arrays" in source(report).unread
    assert source(report).failure is None
    assert not counts[0]
    assert counts.flags.writeable


@pytest.mark.parametrize(
    ("factory", "told"),
    [
        (lambda: 1 / 0, "which raises ZeroDivisionError: division by zero"),
        (lambda path: path, "missing 1 required positional argument"),
        (lambda: None, "which returns nothing"),
        (lambda: len, "which returns a function"),
        (lambda: (X, Y, Y, Y), "Received 4 parts"),
    ],
)
def test_functions_that_make_nothing(factory, told):
    with pytest.raises(fitguard.UsageError, match=re.escape(told)):
        check(factory)


def test_a_generator_that_blocks_does_not_cost_more_than_the_budget():
    go_on = threading.Event()
    report = check((go_on.wait() for _ in range(3)), budget_seconds=0.2)
    assert source(report).batches_seen == 0
    assert "no batch within the time" in source(report).unread
    go_on.set()
    assert list(report.x) == [True, True, True]


def test_generators_that_give_nothing():
    closed = (batch for batch in [(X, Y)])
    closed.close()
    for generator in (closed, (batch for batch in ())):
        assert source(check(generator)).batches_seen == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: dataset().window(5),
        lambda: tf.data.Dataset.range(9).map(tf.experimental.Optional.from_value),
        lambda: dataset().map(lambda x, y: (x, y, y, y)).batch(4),
        lambda: tf.data.TFRecordDataset("no-such-file").batch(4),
    ],
)
def test_datasets_that_fit_does_not_take(make):
    report = check(make())
    assert not report.ok
    assert source(report).malformed or source(report).failure


def test_debugging_operations_can_be_read():
    checked = dataset().map(lambda x, y: (tf.debugging.check_numerics(x, "bad"), y)).batch(9)
    assert source(check(checked)).complete


def test_inside_of_a_function_of_tensorflow():
    model = trainings.model()

    @tf.function
    def step():
        with pytest.raises(fitguard.UsageError, match=re.escape("inside of a tf.function")):
            fitguard.check_data(model, X, Y)
        return 1

    assert step() == 1


def test_under_a_strategy_and_with_functions_run_eagerly():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        assert source(fitguard.check_data(trainings.model(), X, Y)).complete
    tf.config.run_functions_eagerly(True)
    try:
        assert source(check(dataset().map(trainings.augmented).batch(9))).complete
    finally:
        tf.config.run_functions_eagerly(False)


def test_several_threads_at_once():
    made = [trainings.Augmenting(), dataset().map(trainings.augmented).shuffle(9).batch(9)] * 3
    model, seen = trainings.model(), []
    threads = [
        threading.Thread(target=lambda data=data: seen.append(fitguard.check_data(model, data)))
        for data in made
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [source(report).complete for report in seen] == [True] * 6


class Slow(Batches):
    """Draws and counts, and has a lock: it cannot be copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.large = np.zeros(20_000_000, "float32")
        self.calls = 0

    def __getitem__(self, index):
        self.calls += 1
        np.random.rand()
        random.random()
        if index:
            signal.raise_signal(signal.SIGINT)
        return super().__getitem__(index)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_comes_through_and_state_is_put_back():
    model, slow = trainings.model(), Slow()
    drawn, numbers = random.getstate(), np.random.get_state()[1].copy()
    with pytest.raises(KeyboardInterrupt):
        fitguard.check_data(model, slow)
    assert (slow.calls, slow.large.flags.writeable) == (0, True)
    assert random.getstate() == drawn
    assert np.array_equal(np.random.get_state()[1], numbers)


def test_ways_that_part_and_meet_again_are_walked_once():
    given = hidden = layers.Input((trainings.FEATURES,))
    for _ in range(40):
        hidden = layers.Average()([hidden, layers.Dropout(0.1)(hidden)])
    model = keras.Model(given, layers.Activation("relu")(layers.Dense(3)(hidden)))
    model.compile("sgd", "sparse_categorical_crossentropy")
    report = fitguard.check_data(model, X, Y)  # else 2 to the power of 40 ways
    assert report.facts.model.outputs[0].activation == "relu"


def test_models_in_models_are_opened_within_limits():
    model = keras.Sequential([layers.Input((trainings.FEATURES,)), layers.Dense(6)])
    for _ in range(16):
        given = layers.Input((trainings.FEATURES,))
        model = keras.Model(given, model(model(given)))
    model.compile("sgd", "mse")
    started = time.monotonic()
    fitguard.check_data(model, X, X)
    assert time.monotonic() - started < LONGEST_SECONDS


def test_a_model_whose_properties_raise():
    class Raising(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(3)

        def get_config(self):
            raise RuntimeError

        @property
        def weights(self):
            raise RuntimeError

        inputs = outputs = weights

        def call(self, x):
            return self.dense(x)

    model = Raising()
    model.compile("sgd", "mse")
    assert fitguard.check_data(model, X, Y).facts.model.kind == "subclassed"
