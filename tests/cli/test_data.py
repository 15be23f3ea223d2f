"""`fitguard data`, run as a command on real scripts."""

import json

import pytest
from cli.process import fitguard, fitguard_here

SCRIPT = """
import keras
import numpy as np

print("this script prints")

def model():
    made = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    made.compile("sgd", "sparse_categorical_crossentropy")
    return made

def data(bad=False):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    if bad:
        y[217] = 3
    return rng.normal(size=(300, 4)).astype("float32"), y

def good():
    return (model(), *data())

def bad():
    return (model(), *data(bad=True))

def arguments():
    x, y = data()
    return {"model": model(), "x": x, "y": y, "batch_size": 50, "verbose": 0, "callbacks": []}

def stream():
    def batches():
        x, y = data(bad=True)
        for start in range(0, 300, 10):
            yield x[start : start + 10], y[start : start + 10]
    return model(), batches()

def no_model():
    return {"x": 1}

def needs(size):
    return size

def raises():
    return data()[0] + "text"

def leaves():
    raise SystemExit(7)

def too_much():
    return {"model": model(), "x": data()[0], "epoch": 3}

def asks():
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    return parser.parse_args()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("scripts")
    (made / "train.py").write_text(SCRIPT)
    (made / "broken.py").write_text("def make(:\n")
    return made


def data(folder, *arguments):
    return fitguard_here("data", *arguments, cwd=folder)


def test_healthy_data(folder):
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    run = fitguard("data", "train.py:good", cwd=folder, **quiet)
    assert run.returncode == 0, run.stderr
    assert "this script prints" not in run.stdout
    assert "this script prints" in run.stderr
    assert "300" in run.stdout
    assert "FG6" not in run.stdout


def test_a_bad_label_by_its_place(folder):
    run = data(folder, "train.py:bad", "--format", "json")
    assert run.returncode == 3, run.stderr
    report = json.loads(run.stdout)
    assert report["schema"] == "fitguard/data/1"
    [finding] = report["findings"]
    assert (finding["code"], finding["slug"]) == ("FG620", "label-out-of-range")
    assert "sample 217" in finding["evidence"][0]["text"]


def test_a_stream_tells_the_batch(folder):
    run = data(folder, "train.py:stream")
    assert run.returncode == 3, run.stderr
    assert "sample 217, batch 21" in run.stdout


def test_fail_on_never_and_ignore(folder):
    assert data(folder, "train.py:bad", "--fail-on", "never").returncode == 0
    assert data(folder, "train.py:bad", "--ignore", "label-out-of-range").returncode == 0


def test_the_arguments_of_fit(folder):
    run = data(folder, "train.py:arguments", "--format", "json", "--full")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["facts"]["training"]["batch_size"] == 50
    assert report["budget_seconds"] is None
    assert report["facts"]["sources"][0]["complete"]


@pytest.mark.parametrize(("reference", "line"), [("train.py:bad", 22), ("fits.py", 3)])
def test_code_scanning_is_told_the_line(folder, reference, line):
    (folder / "fits.py").write_text(
        "import os, train\nmodel, x, y = train.bad(); os.chdir('/')\nmodel.fit(x, y)\n"
    )
    run = fitguard_here("data", reference, "--output", "data.sarif", cwd=folder)
    assert run.returncode == 3, run.stderr
    [result] = json.loads((folder / "data.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": reference.partition(":")[0]}
    assert place["region"] == {"startLine": line}


@pytest.mark.parametrize(
    ("reference", "code", "told"),
    [
        ("train", 2, "Expected train.py, or train.py:FUNCTION"),
        ("train.py:absent", 2, "has no function absent. Expected one of: model, data"),
        ("train.py:no_model", 2, "a dict without `model`"),
        ("train.py:needs", 2, "needs the arguments size"),
        ("train.py:model", 2, "Received train.py:model with a model alone. Expected (model"),
        ("nowhere.py:make", 5, "nowhere.py, which is no file"),
        ("broken.py:make", 5, "SyntaxError"),
        ("train.py:raises", 5, "line 43: return data()[0]"),
        ("train.py:leaves", 5, "SystemExit: 7"),
        ("train.py:too_much", 2, "a dict with epoch. Expected only model, x, y"),
        ("train.py:asks", 5, "usage: train.py [-h] --data DATA"),
    ],
)
def test_wrong_references(folder, reference, code, told):
    run = data(folder, reference)
    assert run.returncode == code, run.stderr
    assert told in run.stderr
    assert run.stdout == ""


def test_wrong_options(folder):
    run = data(folder, "train.py:good", "--budget", "0")
    assert run.returncode == 2
    assert "Received budget_seconds=0.0. Expected a positive number" in run.stderr
    run = data(folder, "train.py:good", "--select", "FG204")
    assert run.returncode == 2
    assert "judge something else than the data" in run.stderr
