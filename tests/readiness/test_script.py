"""Scripts that are looked at in a process of their own."""

import pytest

from fitguard.readiness import script as script_module
from fitguard.readiness.request import FitOptions
from fitguard.readiness.script import check_script
from fitguard.schema.exit_codes import UnreadableInput, UsageError

TWO_PHASES = """
import sys
import keras, numpy as np

x = np.random.rand(400, 32, 32, 3).astype("float32")
y = np.random.randint(0, int(sys.argv[1]), 400)
base = keras.Sequential([keras.layers.Input((32, 32, 3)), keras.layers.Conv2D(8, 3)])
base.trainable = False
top = [keras.layers.Flatten(), keras.layers.Dense(10)]
model = keras.Sequential([keras.layers.Input((32, 32, 3)), base, *top])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss)
for fold in range(3):
    model.fit(x, y, batch_size=64)
base.trainable = True
model.compile("adam", loss)
model.fit(x, y, batch_size=200)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_fit_of_a_script(folder):
    (folder / "train.py").write_text(TWO_PHASES)
    report = check_script(
        "train.py", ["12"], options=FitOptions(gpu_memory=2**40), machine_seconds=1000.0
    )
    assert report.seconds > 1000
    assert report.doctor.facts.tensorflow is not None
    assert report.verdict == "fails"
    assert [(fit.number, fit.line, fit.plan.batch_size) for fit in report.fits] == [
        (1, 14, 64),
        (4, 17, 200),
    ]
    assert all(fit.plan.fits for fit in report.fits)
    [step] = report.steps
    assert step.fits == (1, 4)
    assert report.notes == ("Line 14 trains a model of the same size 2 more times.",)


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("x = {}['a']", "train.py raised KeyError: 'a'\n  line 1: x = {}['a']"),
        ("import os, signal; os.kill(os.getpid(), 11)", "the script was ended by SIGSEGV"),
        ("import os; os._exit(3)", "the script left with exit code 3"),
    ],
)
def test_scripts_that_do_not_get_there(folder, code, failure):
    (folder / "train.py").write_text(code)
    report = check_script("train.py")
    assert report.verdict == "fails"
    assert failure in report.failure
    assert report.fits == ()


ENDS_LATER = """
import os, keras, numpy as np
import tensorflow as tf
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((10, 4)), np.ones((10, 1)), batch_size=4096)
os.abort()
"""


def test_what_comes_after_the_last_fit_does_not_fail_it(folder):
    (folder / "train.py").write_text(ENDS_LATER)
    report = check_script("train.py")
    assert report.ok
    assert report.fits[0].plan.batch_size == 10
    assert report.notes[0] == "After that, the script was ended by SIGABRT."
    assert report.headline.startswith("Ready to train")


def test_a_fit_that_is_not_reached_is_told(folder):
    (folder / "train.py").write_text(ENDS_LATER + "model.fit(np.ones((9, 4)))")
    report = check_script("train.py")
    assert report.ok
    assert "but the fit in line 8 was not looked at" in report.headline
    assert [step.title for step in report.steps] == ["The fit in line 8 was not looked at"]


def test_a_script_without_fit_is_not_called_a_failure(folder):
    (folder / "train.py").write_text("print('no fit')")
    report = check_script("train.py")
    assert report.ok
    assert "no call of fit was reached" in report.headline
    [step] = report.steps
    assert step.title == "train.py ends without a call of fit"
    assert step.text.startswith("Write a function")
    assert report.notes == ()


def test_what_takes_too_long_is_given_up(folder):
    (folder / "train.py").write_text("import time\ntime.sleep(600)")
    report = check_script("train.py", limit_seconds=0.5)
    assert report.failure == ""
    assert [step.title for step in report.steps] == ["The script was left after 0 s"]
    assert "no call of fit was reached" in report.headline


@pytest.mark.usefixtures("folder")
def test_what_is_no_script():
    with pytest.raises(UnreadableInput, match="no file"):
        check_script("absent.py")
    with pytest.raises(UsageError, match=r"Expected the script that trains"):
        check_script("train.txt")


def test_a_function_that_gives_no_training(folder):
    (folder / "train.py").write_text("def make(): return 3")
    with pytest.raises(UsageError, match=r"has no function mak\. Expected one of: make"):
        check_script("train.py:mak")


def test_the_command_that_trains():
    command = script_module.training_command("my train.py", ["--name", "a b"])
    assert command == "'my train.py' --name 'a b'"
    assert script_module.training_command("train.py:make", []) == ""


UNDER_STRATEGIES = """
import keras, numpy as np, tensorflow as tf

(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
x, y = np.random.rand(70, 3).astype("float32"), np.random.rand(70, 1).astype("float32")
batches = ((x[:8], y[:8]) for _ in range(9))
for strategy, data, size in (
    (tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), (x, y), 7),
    (tf.distribute.OneDeviceStrategy("CPU:1"), (batches, None), None),
):
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    model.fit(*data, batch_size=size)
"""


def test_models_under_strategies(folder):
    (folder / "train.py").write_text(UNDER_STRATEGIES)
    report = check_script("train.py", options=FitOptions(ignore=("FG1", "FG2", "FG3", "FG7")))
    two, one = (fit.data for fit in report.fits)
    assert (two.facts.model.strategy, two.facts.model.replicas) == ("MirroredStrategy", 2)
    assert (one.facts.model.strategy, one.facts.model.replicas) == ("OneDeviceStrategy", 1)
    assert (two.facts.model.replica_devices, one.facts.model.replica_devices) == ("CPU", "CPU")
    assert [finding.code for finding in two.findings] == ["FG660"]
    assert [finding.code for finding in one.findings] == ["FG680"]
    assert report.verdict == "fails"
    assert report.steps[0].title.endswith("(FG660)")
