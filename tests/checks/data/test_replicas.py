"""What two replicas really make of a training, and what fitguard says: FG660, FG680 to FG683."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run_trainings(library: str, *names: str, onednn: str = "1") -> dict[str, dict]:
    """`onednn`: whether TensorFlow uses it, which is otherwise decided by the CPU."""
    script = Path(__file__).with_name("two_replicas.py")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": onednn}
    done = subprocess.run(
        [sys.executable, str(script), library, *names],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict]:
    return run_trainings(
        "keras",
        "even",
        "last batch of one",
        "batches of seven",
        "images, last batch of one",
        "validation of seven",
        "generator",
        "two steps at once",
        "compiled",
        "text",
    )


def test_even_parts_train(outcomes):
    assert outcomes["even"] == {
        "error": "",
        "nan": False,
        "findings": [],
        "facts": ["MirroredStrategy", 2, 1],
    }


def test_an_empty_replica_gives_nan(outcomes):
    assert outcomes["last batch of one"]["nan"]


@pytest.mark.parametrize(
    ("training", "error", "finding"),
    [
        (
            "last batch of one",
            "",
            "FG660 The last batch of 1 sample leaves replicas empty, and norm makes nan of an "
            "empty batch",
        ),
        (
            "batches of seven",
            "must have the same size and shape",
            "FG660 Batches of 7 samples cannot be split evenly among 2 replicas",
        ),
        (
            "images, last batch of one",
            "Matrix size-incompatible",
            "FG660 The last batch of 1 sample leaves replicas empty, and edges fails on an empty "
            "batch",
        ),
        (
            "validation of seven",
            "must have the same size and shape",
            "FG660 A single batch of 7 samples of the validation data cannot be split evenly among "
            "2 replicas",
        ),
        (
            "two steps at once",
            "You must feed a value for placeholder",
            "FG681 steps_per_execution=2 fails with 2 replicas",
        ),
        (
            "compiled",
            "Trying to access resource",
            "FG682 jit_compile=True fails with 2 replicas on CPUs",
        ),
        (
            "text",
            "of string is not in the list of allowed values",
            "FG683 Text in words cannot be split among 2 replicas",
        ),
    ],
)
def test_what_fails_is_found(outcomes, training, error, finding):
    assert error in outcomes[training]["error"]
    assert finding in outcomes[training]["findings"]


def test_images_on_an_empty_replica_train_without_onednn():
    name = "images, last batch of one"
    outcome = run_trainings("keras", name, onednn="0")[name]
    assert (outcome["error"], outcome["nan"], outcome["findings"]) == ("", False, [])


def test_a_generator_loses_batches(outcomes):
    assert outcomes["generator"]["seen"] != [0, 1, 2]
    assert "FG680" in outcomes["generator"]["findings"]


@pytest.mark.soak
def test_tf_keras_takes_what_keras_3_does_not():
    names = ("batches of seven", "validation of seven", "two steps at once", "text")
    outcomes = run_trainings("tf_keras", *names, "generator", "compiled")
    for name in names:
        assert outcomes[name]["error"] == ""
        assert not [one for one in outcomes[name]["findings"] if one.startswith(("FG66", "FG68"))]
    assert outcomes["generator"]["seen"] == [0, 1, 2]
    assert "FG680" not in outcomes["generator"]["findings"]
    assert "Trying to access resource" in outcomes["compiled"]["error"]
    assert outcomes["compiled"]["findings"][0].startswith("FG682")
