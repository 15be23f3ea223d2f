"""`fitguard plan`, run as a command on real scripts."""

import json

import pytest
from cli.process import fitguard, fitguard_here

SCRIPT = """
import os

import keras
import numpy as np

print("this script prints")
assert os.environ["CUDA_VISIBLE_DEVICES"] == "-1"

def layers(units=64):
    return [keras.layers.Input((32,)), keras.layers.Dense(units), keras.layers.Dense(4)]

def plain():
    return keras.Sequential(layers())

def compiled(units=64):
    made = keras.Sequential(layers(units))
    made.compile("adam", "mse", jit_compile=False)
    return made

def data():
    return np.zeros((40, 32), "float32"), np.zeros((40, 4), "float32")

def with_data():
    return (compiled(4096), *data())

if __name__ == "__main__":
    compiled().fit(*data(), batch_size=10, epochs=2)
    raise SystemExit("training was run")
"""

WITHOUT_KERAS = """
def nothing():
    return None

def raises():
    raise ValueError("no data here")
"""

WITH_OPTIONS = """
import argparse

options = argparse.ArgumentParser()
options.add_argument("--units", type=int, required=True)
units = options.parse_args().units

import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(units)])
model.compile("sgd", "mse")
model.fit(np.zeros((20, 8)), np.zeros((20, units)), batch_size=5, class_weight={0: 1.0, 1: 2.0})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("plans")
    (made / "train.py").write_text(SCRIPT)
    (made / "other.py").write_text(WITHOUT_KERAS)
    (made / "options.py").write_text(WITH_OPTIONS)
    (made / "broken.py").write_text("def make(:\n")
    return made


def plan(folder, *arguments):
    """Run the command; GPUs would be visible to what does not hide them."""
    return fitguard("plan", *arguments, cwd=folder, TF_CPP_MIN_LOG_LEVEL="3")


def planned(folder, *arguments):
    """The plan as JSON, of a command that went well."""
    run = plan(folder, "--format", "json", "--no-advice", *arguments)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_model_with_a_card_that_is_large_enough(folder):
    run = plan(folder, "train.py:compiled", "--batch-size", "64", "--gpu-memory", "8GiB")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("✔ Fits: a batch of 64 needs ")
    assert "Largest batch" in run.stdout
    assert "this script prints" not in run.stdout
    assert "this script prints" in run.stderr


def test_a_step_that_does_not_fit_gives_exit_code_3(folder):
    page = folder / "plan.html"
    run = fitguard_here("plan", "train.py:with_data", "--batch-size", "60000", "--gpu-memory",
                        "1GB", "--free", "900MB", "--output", page, cwd=folder)  # fmt: skip
    assert run.returncode == 3, run.stderr
    assert run.stdout == ""
    assert "Does not fit: a batch of 60,000 needs " in page.read_text(encoding="utf-8")
    assert "Memory over the step" in page.read_text(encoding="utf-8")


def test_options_reach_the_plan(folder):
    report = planned(folder, "train.py:plain", "--batch-size", "24", "--optimizer", "sgd", "--loss",
                     "mae", "--policy", "mixed_float16", "--jit-compile", "false", "--replicas",
                     "2")  # fmt: skip
    assert report["schema"] == "fitguard/plan/1"
    assert report["batch_size"] == 24
    assert report["mode"] == "graph"
    assert report["advice"] == []
    assert report["fits"] is None
    step = report["step"]
    assert (step["optimizer"], step["policy"], step["replicas"]) == ("SGD", "mixed_float16", 2)
    assert step["loss"] == "mean_absolute_error"


def test_a_script_is_run_up_to_its_fit(folder):
    report = planned(folder, "train.py")
    assert report["batch_size"] == 10
    assert report["step"]["optimizer"] == "Adam"
    assert report["mode"] == "graph"  # as compile was told, though without a GPU Keras forgets it


def test_a_script_with_arguments_of_its_own(folder):
    report = planned(folder, "options.py", "--", "--units", "3")
    assert report["step"]["inputs"][1:] == [
        ["y", [5, 3], "float32"],
        ["sample_weight", [5], "float32"],  # of the weights of classes
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["other.py:absent"], 2, "has no function absent. Expected one of: nothing, raises"),
        (["other.py:nothing"], 2, "Received NoneType from other.py:nothing. Expected a model, (mo"),
        (["other.py:raises"], 5, 'raise ValueError("no data here")'),
        (["nowhere.py"], 5, "nowhere.py, which is no file"),
        (["nowhere.py:make"], 5, "nowhere.py, which is no file"),
        (["broken.py:make"], 5, "SyntaxError"),
        (["options.py"], 5, "go behind two hyphens: fitguard plan options.py -- --"),
        (["train.py:plain", "--policy", "float12"], 2, "float12"),
        (["train.py:plain", "--jit-compile", "maybe"], 2, "maybe"),
        (["train.py:plain", "--gpu-memory", "8"], 2, "--gpu-memory='8', which is 8 bytes. Expec"),
        (["train.py:plain", "--free", "much"], 2, "--free='much'. Expected a size such as 8GiB"),
        ([], 2, "FILE.py[:FUNCTION] requires an argument"),
    ],
)
def test_wrong_usage(folder, arguments, code, told):
    run = plan(folder, *arguments)
    assert run.returncode == code, run.stderr
    assert told in run.stderr
    assert run.stdout == ""
