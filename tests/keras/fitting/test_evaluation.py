"""`evaluate` and `predict` of batches that do not fit: in pieces, with the same result."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import attempt, events
from guarded.limited import limit, limited

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.journal import Failed, MicroBatchChosen

ROWS, BATCH = 26, 12


class Trained:
    """A model of one library, with the metrics and outputs that it has without a limit."""

    def __init__(self, library, **compiled):
        library.utils.set_random_seed(2)
        layers = library.layers
        self.model = library.Sequential(
            [layers.Input((3,)), layers.Dense(4), limited(library), layers.Dense(1)]
        )
        self.model.compile("sgd", "mse", metrics=["mae"], **compiled)
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(ROWS, 3)).astype("float32")
        self.y = self.x.sum(axis=1)
        self.metrics = self.evaluate()
        self.outputs = self.predict()

    def evaluate(self):
        return self.model.evaluate(self.x, self.y, batch_size=BATCH, verbose=0)

    def predict(self):
        return self.model.predict(self.x, batch_size=BATCH, verbose=0)

    def dataset(self):
        return tf.data.Dataset.from_tensor_slices((self.x, self.y)).batch(BATCH)


LIBRARIES = {"keras": keras, "tf_keras": tf_keras}


@pytest.fixture(scope="module", params=LIBRARIES)
def trained(request):
    return Trained(LIBRARIES[request.param])


@pytest.fixture(scope="module")
def keras_trained():
    return Trained(keras)


@pytest.fixture(autouse=True)
def _little_memory():
    limit().assign(3)
    yield
    limit().assign(10**6)


@pytest.fixture(scope="module", autouse=True)
def _enough_memory_at_first():
    limit().assign(10**6)


def chosen(fits):
    return [event.rows for event in events(fits, MicroBatchChosen) if event.evaluation]


def test_metrics_and_outputs_are_those_of_whole_batches(trained, tmp_path):
    native = trained.model.test_function
    with attempt(tmp_path) as fits:
        metrics = trained.evaluate()
        outputs = trained.predict()
        again = trained.evaluate()
    np.testing.assert_allclose(metrics, trained.metrics, rtol=1e-5)
    np.testing.assert_allclose(outputs, trained.outputs, rtol=1e-5, atol=1e-6)
    assert again == metrics
    assert chosen(fits) == [6, 3]
    assert trained.model.test_function is native


def test_with_several_batches_in_a_call_none_is_left_out(tmp_path):
    for library in LIBRARIES.values():
        limit().assign(10**6)
        trained = Trained(library, steps_per_execution=2)
        limit().assign(3)
        with attempt(tmp_path / library.__name__, evaluation_rows={"0": 3}) as fits:
            np.testing.assert_allclose(trained.evaluate(), trained.metrics, rtol=1e-5)
            outputs = trained.predict()
        np.testing.assert_allclose(outputs, trained.outputs, rtol=1e-5, atol=1e-6)
        assert chosen(fits) == []


def test_validation_inside_of_fit(keras_trained, tmp_path):
    x, y = keras_trained.x, keras_trained.y

    def fit():
        keras_trained.model.set_weights(weights)
        return keras_trained.model.fit(
            x[:3], y[:3], epochs=2, validation_data=(x, y), validation_batch_size=BATCH, verbose=0
        ).history

    weights = keras_trained.model.get_weights()
    limit().assign(10**6)
    expected = fit()
    limit().assign(3)
    with attempt(tmp_path) as fits:
        history = fit()
    keras_trained.model.set_weights(weights)
    for name, values in expected.items():
        np.testing.assert_allclose(history[name], values, rtol=1e-5)
    assert [event.fit for event in events(fits, MicroBatchChosen)] == [1, 1]


def test_batches_of_datasets_and_python_data_tell_their_rows(keras_trained, tmp_path):
    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 2

        def __getitem__(self, number):
            at = slice(number * 13, number * 13 + 13)
            return keras_trained.x[at], keras_trained.y[at]

    for number, (data, pieces) in enumerate(
        ((keras_trained.dataset(), [6, 3]), (Batches(), [5, 2]))
    ):
        with attempt(tmp_path / str(number)) as fits:
            metrics = keras_trained.model.evaluate(data, verbose=0)
        np.testing.assert_allclose(metrics, keras_trained.metrics, rtol=1e-5)
        assert chosen(fits) == pieces


def test_a_generator_cannot_be_read_again(keras_trained, tmp_path):
    batches = ((keras_trained.x[:8], keras_trained.y[:8]) for _ in range(3))
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        keras_trained.model.evaluate(batches, verbose=0)
    assert chosen(fits) == []


def test_where_one_row_does_not_fit_the_error_is_raised(keras_trained, tmp_path):
    limit().assign(0)
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        keras_trained.predict()
    assert chosen(fits) == [6, 3, 1]
    # Nothing ended: the script may catch it.
    assert events(fits, Failed) == []


def test_each_row_keeps_its_state(tmp_path):
    limit().assign(10**6)
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((2, 3), batch_size=4),
            layers.SimpleRNN(2, stateful=True),
            limited(keras),
        ]
    )
    x = np.random.default_rng(1).normal(size=(12, 2, 3)).astype("float32")
    expected = [model.predict(x, batch_size=4, verbose=0) for _ in range(2)]
    model.layers[0].reset_state()
    with attempt(tmp_path / "ordered", evaluation_rows={"0": 2}):
        outputs = [model.predict(x, batch_size=4, verbose=0) for _ in range(2)]
    np.testing.assert_allclose(outputs, expected, rtol=1e-6)
    model.layers[0].reset_state()
    limit().assign(1)
    with attempt(tmp_path / "found") as fits:
        outputs = [model.predict(x, batch_size=4, verbose=0) for _ in range(2)]
    np.testing.assert_allclose(outputs, expected, rtol=1e-6)
    assert chosen(fits) == [2, 1]


def test_what_a_failed_prediction_left_in_the_states_is_taken_back(tmp_path):
    limit().assign(10**6)
    layers = keras.layers
    given = layers.Input((None, 3), batch_size=4)
    memory = layers.SimpleRNN(2, stateful=True)
    model = keras.Model(given, limited(keras)(memory(given)))
    x = np.random.default_rng(1).normal(size=(12, 2, 3)).astype("float32")
    expected = model.predict(x, batch_size=4, verbose=0)
    memory.reset_state()
    batches = iter(range(3))

    class Tighter(keras.callbacks.Callback):
        def on_predict_batch_begin(self, batch, logs=None):
            del batch, logs
            limit().assign(2 if next(batches, 0) == 2 else 10**6)

    with attempt(tmp_path) as fits:
        outputs = model.predict(x, batch_size=4, verbose=0, callbacks=[Tighter()])
    np.testing.assert_allclose(outputs, expected, rtol=1e-6)
    assert chosen(fits) == [2]


def test_signs_of_life_come_with_each_batch(keras_trained, tmp_path):
    limit().assign(10**6)
    with attempt(tmp_path) as fits:
        before = Heartbeat(fits.session.folder.heartbeat).read().count
        keras_trained.evaluate()
        beat = Heartbeat(fits.session.folder.heartbeat).read()
    # Three batches, the beginning, and the end.
    assert beat.count - before == 5
    assert beat.phase == "idle"
