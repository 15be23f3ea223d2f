"""`fitguard.fit` and `%%guard` in a real kernel: it outlives its trainings, with their results."""

import pytest
from notebook.kernel import Kernel, kernel_in

BEGIN = """
import ctypes, hashlib, os, pathlib
%load_ext fitguard
import fitguard, keras, numpy as np
from fitguard.keras.state.model_state import ModelState
from keras import ops

x = np.random.default_rng(0).random((64, 5)).astype("float32")
y = x.sum(axis=1, keepdims=True)
POWER = 2.0
epochs_seen = []


def own_loss(wanted, given):
    return ops.mean(ops.abs(wanted - given) ** POWER)


class Recorder(keras.callbacks.Callback):
    def __init__(self, crash_at=None, until=None):
        super().__init__()
        self.losses = []
        self.crash_at = crash_at
        self.until = until

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(float(logs["loss"]))
        if len(self.losses) == self.crash_at and not pathlib.Path("crashed").exists():
            pathlib.Path("crashed").touch()
            ctypes.string_at(0)

    def on_epoch_end(self, epoch, logs=None):
        epochs_seen.append(epoch)


def build():
    keras.utils.set_random_seed(7)
    model = keras.Sequential(
        [keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.3), keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss=own_loss, metrics=["mae"])
    return model


def mark(model):
    arrays = ModelState(model).read()
    text = repr([(name, arrays[name].tobytes()) for name in sorted(arrays)])
    return hashlib.sha256(text.encode()).hexdigest()


def drawn():
    return float(np.random.rand()), float(keras.random.uniform(()))


arguments = dict(batch_size=16, epochs=3, validation_split=0.25)
plain, recorder = build(), Recorder()
plain_history = plain.fit(x, y, callbacks=[recorder], verbose=0, **arguments)
plain_end = (mark(plain), plain_history.history, recorder.losses, list(epochs_seen), drawn())
epochs_seen.clear()
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    with kernel_in(tmp_path_factory.mktemp("notebook")) as made:
        begun = made.run(BEGIN)
        assert not begun.raised
        yield made


def test_a_segfault_costs_nothing_and_the_next_cell_runs(kernel: Kernel):
    shown = kernel.run(
        """
model, callback = build(), Recorder(crash_at=5)
history = fitguard.fit(
    model, x, y, callbacks=[callback], snapshot_seconds=0, runs_folder="runs", **arguments
)
"""
    )
    assert not shown.raised
    assert "Epoch 3/3" in shown
    assert "\b" in shown or "\r" in shown
    assert "SIGSEGV" in shown.errors
    after = kernel.run(
        """
end = (mark(model), history.history, callback.losses, epochs_seen, drawn())
print([a == b for a, b in zip(end, plain_end)])
print(history.epoch, history.model is model, model.history is history, callback.model is model)
print(history.params["steps"], pathlib.Path("crashed").exists())
print(os.listdir("runs/.requests"), len(model.predict(x, verbose=0)))
"""
    )
    assert after == ("[True, True, True, True, True]\n[0, 1, 2] True True True\n3 True\n[] 64\n")


@pytest.mark.soak
def test_a_model_and_data_from_functions(kernel: Kernel):
    shown = kernel.run(
        """
import tensorflow as tf


class Told(keras.Model):
    def __init__(self, function, units):
        super().__init__()
        self.function, self.dense = function, keras.layers.Dense(units)

    def call(self, inputs):
        return self.function(self.dense(inputs))


def build_told():
    model = Told(ops.relu, 1)
    model.compile(optimizer="sgd", loss="mse")
    return model


def make_dataset():
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=3).batch(8)


keras.utils.set_random_seed(5)
expected = build_told()
expected.fit(make_dataset(), epochs=2, verbose=0)
keras.utils.set_random_seed(5)
history = fitguard.fit(build_told, make_dataset, epochs=2, verbose=0, runs_folder="runs")
print(mark(history.model) == mark(expected), len(history.history["loss"]))
fitguard.fit(build_told, iter(make_dataset()), runs_folder="runs")
"""
    )
    assert shown == "True 2\n"
    assert "x cannot be taken to the training process" in shown.raised
    assert "def make_dataset():" in shown.raised


def test_a_dataset_of_the_kernel_survives_a_segfault(kernel: Kernel):
    shown = kernel.run(
        """
import tensorflow as tf
pathlib.Path("crashed").unlink(missing_ok=True)


def pipeline():
    rows = tf.data.Dataset.from_tensor_slices((x, y)).cache()
    return rows.shuffle(64, seed=3).batch(24).prefetch(1), rows.take(8).shuffle(8, seed=4).batch(4)


def train(fit, crash_at=None):
    model, callback = build(), Recorder(crash_at)
    data, held_out = pipeline()
    history = fit(model, data, validation_data=held_out, epochs=3, verbose=0, callbacks=[callback])
    return mark(model), history.history, callback.losses, [row.numpy().sum() for row, _ in data]


def guarded(model, *args, **kwargs):
    return fitguard.fit(model, *args, snapshot_seconds=0, runs_folder="runs", **kwargs)


expected = train(keras.Model.fit)
end = train(guarded, crash_at=5)
print([a == b for a, b in zip(end, expected)], pathlib.Path("crashed").exists())
"""
    )
    assert not shown.raised
    assert shown == "[True, True, True, True] True\n"
    told = [line for line in shown.errors.splitlines() if line.startswith("fitguard:")]
    assert [line.split()[1] for line in told] == ["Attempt", "finished"]


def test_a_cell_under_guard(kernel: Kernel):
    kernel.run("import tensorflow as tf")
    shown = kernel.run(
        """%%guard --runs-folder runs
import math
cell_model = build()
cell_history = cell_model.fit(x, y, verbose=0, **arguments)
score = math.sqrt(cell_model.evaluate(x, y, verbose=0)[0])
epochs_seen.append("cell")
dataset = tf.data.Dataset.range(3)


def squared(number):
    return number**2


print("in the training process:", os.getpid())
squared(4)
"""
    )
    assert not shown.raised
    assert shown.startswith("in the training process:")
    assert shown.endswith("\n16\n")
    assert str(kernel.pid) not in shown
    assert "stays in the training process: dataset" in shown.errors
    after = kernel.run(
        """
plain.evaluate(x, y, verbose=0)
print(mark(cell_model) == mark(plain), cell_history.history == plain_history.history)
print(cell_history.model is cell_model, epochs_seen[-1], score > 0, squared(3), math.floor(1.5))
"""
    )
    assert after == "True True\nTrue cell True 9 1\n"


def test_an_error_of_the_users_ends_it_and_the_kernel_lives(kernel: Kernel):
    shown = kernel.run("fitguard.fit(build(), x, y[:10], verbose=0, runs_folder='runs')")
    assert shown.raised.startswith("TrainingDied: The training ended after 1 attempt")
    assert "fitguard report" in shown.raised
    assert kernel.run("print(1 + 1)") == "2\n"


def test_an_interrupt_leaves_what_was_trained_and_it_can_go_on(kernel: Kernel):
    thread = kernel.interrupt_when(kernel.folder / "began")
    shown = kernel.run(
        """
import time


class Slow(Recorder):
    def on_train_batch_begin(self, batch, logs=None):
        if batch == 2:
            pathlib.Path("began").touch()
            for _ in range(100):
                if not pathlib.Path("interrupted").exists():
                    time.sleep(0.1)
        if not pathlib.Path("go").exists():
            time.sleep(0.5)


rows = pipeline()[0]
slow_model, slow_callback = build(), Slow()
slow = dict(x=rows, epochs=3, verbose=0, callbacks=[slow_callback], runs_folder="runs")
fitguard.fit(slow_model, **slow)
"""
    )
    thread.join()
    assert shown.raised.startswith("KeyboardInterrupt")
    run = shown.errors.partition('resume="')[2].partition('"')[0]
    assert (kernel.folder / "runs" / run / "snapshots").is_dir()
    after = kernel.run(
        """
print(int(slow_model.optimizer.iterations) == len(slow_callback.losses) > 0)
print(slow_callback.model is slow_model, os.listdir("runs/.requests"))
pathlib.Path("go").touch()
"""
    )
    assert after == "True\nTrue []\n"
    gone_on = kernel.run(
        f"""
fitguard.fit(slow_model, resume={run!r}, **slow)
undisturbed = build()
undisturbed.fit(pipeline()[0], epochs=3, verbose=0)
print(mark(slow_model) == mark(undisturbed), len(slow_callback.losses))
"""
    )
    assert gone_on == "True 9\n"
    told = [line for line in gone_on.errors.splitlines() if "another order" in line]
    assert told == []


@pytest.mark.soak
def test_an_interrupted_cell_leaves_its_models_and_can_go_on(kernel: Kernel):
    for name in ("began", "go", "interrupted"):
        (kernel.folder / name).unlink(missing_ok=True)
    cell = """
runs_of_the_cell += 1
cell_model = build()
cell_model.fit(pipeline()[0], epochs=3, verbose=0, callbacks=[Slow()])
"""
    kernel.run("runs_of_the_cell = 0")
    thread = kernel.interrupt_when(kernel.folder / "began")
    shown = kernel.run(f"%%guard --runs-folder runs\n{cell}")
    thread.join()
    assert shown.raised.startswith("KeyboardInterrupt")
    run = shown.errors.partition("%%guard --resume ")[2].split()[0].rstrip(".;")
    after = kernel.run("print(runs_of_the_cell, int(cell_model.optimizer.iterations) > 0)")
    assert after == "0 True\n"
    (kernel.folder / "go").touch()
    kernel.run(f"%%guard --runs-folder runs --resume {run}\n{cell}")
    assert (
        kernel.run("print(runs_of_the_cell, mark(cell_model) == mark(undisturbed))") == "1 True\n"
    )
