"""`fitguard check`, and the options that it shares, run as commands on real scripts."""

import json
import re
import sys
from types import SimpleNamespace

import pytest
from cli.process import fitguard

import fitguard as fitguard_package
from fitguard.cli import check
from fitguard.cli.main import run

SCRIPT = """
import sys
import keras
import numpy as np

labels = int(sys.argv[1])
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
x, y = np.random.rand(30, 8).astype("float32"), np.arange(30) % labels
for size in (5, 10):
    model.fit(x, y, batch_size=size)
raise SystemExit("went on")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a script that trains twice, and one that raises."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "train.py").write_text(SCRIPT)
    (folder / "raises.py").write_text("raise ValueError('no data here')")
    return folder


def test_a_training_that_is_ready(folder):
    done = fitguard("check", "train.py", "--gpu", "RTX 3060", "--", "3", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("✔ Ready to train", "▲ Ready to train"))
    assert "$ fitguard run train.py 3" in done.stdout
    assert "memory of fit 2 (line 11)" in done.stdout


def test_a_training_that_would_fail(folder):
    answer = folder / "check.json"
    done = fitguard("check", "train.py", "--output", answer, "--", "4", cwd=folder)
    assert done.returncode == 3
    document = json.loads(answer.read_text())
    assert document["schema"] == "fitguard/check/1"
    assert document["verdict"] == "fails"
    assert [fit["plan"]["batch_size"] for fit in document["fits"]] == [5, 10]
    assert document["steps"][0]["fits"] == [1, 2]


def test_a_script_that_raises(folder):
    done = fitguard("check", "raises.py", cwd=folder)
    assert done.returncode == 3
    assert "raises.py raised ValueError: no data here" in done.stdout
    assert "line 1" in done.stdout
    assert fitguard("check", "raises.py", "--fail-on", "never", cwd=folder).returncode == 0


def test_a_script_that_calls_no_fit_is_not_started(folder):
    (folder / "asks.py").write_text("input('Which data?')\ninput('How many?')")
    done = fitguard("check", "asks.py", cwd=folder, stdin="images\n")
    assert done.returncode == 2
    assert "asks.py asks for input in line 2 (How many?)" in done.stdout
    assert "asks.py < answers.txt" in " ".join(done.stdout.split())
    assert "fitguard run" not in done.stdout
    assert fitguard("check", "asks.py", "--fail-on", "never", cwd=folder).returncode == 0


def test_all_fits_of_data(folder):
    done = fitguard("data", "train.py", "--fit", "all", "--", "4", cwd=folder)
    assert done.returncode == 3, done.stderr
    assert "In fit (line 11), fit 2 (line 11)." in done.stdout


def test_one_fit_of_plan_in_another_interpreter(folder):
    command = ("plan", "train.py", "--fit", "2", "--python", sys.executable, "--", "3")
    done = fitguard(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "A batch of 10 needs" in done.stdout


def test_an_interpreter_without_fitguard(folder, tmp_path):
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\necho ModuleNotFoundError: No module named fitguard >&2\nexit 1\n")
    other.chmod(0o755)
    for command in ("check", "plan", "data", "run"):
        done = fitguard(command, "--python", other, "train.py", cwd=folder)
        assert done.returncode == 2
        assert f"{other} -m pip install fitguard" in done.stderr


def test_wrong_usage(folder):
    assert fitguard("check", "absent.py", cwd=folder).returncode == 5
    assert fitguard("plan", "train.py", "--fit", "0", cwd=folder).returncode == 2
    for wrong in (("--gpu", "RTX 9999"), ("--batch-size", "0")):
        assert fitguard("check", "train.py", *wrong, cwd=folder).returncode == 2


def test_the_time_of_the_probes_counts(folder, monkeypatch, capsys):
    machine = fitguard_package.doctor(what_if={"tf": "2.21.0"})
    clock = iter((100.0, 1100.0))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(check, "_try_machine", lambda _: machine)
    monkeypatch.setattr(check, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    run(["check", "raises.py", "--probe"])
    assert re.search(r"Checked in 1\d\d\d s\.", capsys.readouterr().out)
