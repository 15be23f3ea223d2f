"""Out of memory on one of several replicas: all go back, and split what they have of the batch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CLOSE = 2e-5


def train(library, replicas, fits, folder, *more):
    return start("mirrored_training.py", library, replicas, fits, folder, *more)


def start(script, *words):
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=540, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_one_replica_runs_out_of_memory(tmp_path):
    found = train("keras", 2, 3, tmp_path)
    assert found["same_names"]
    assert found["chosen"] == [[3, 6]]
    assert found["failed"] == 0
    assert found["inexact"] == []
    assert found["history"] < CLOSE
    assert found["values"] < CLOSE


@pytest.mark.soak
@pytest.mark.parametrize(
    ("library", "replicas", "fits"), [("keras", 4, 2), ("tf_keras", 2, 3), ("tf_keras", 4, 1)]
)
def test_with_more_replicas_and_with_keras_2(library, replicas, fits, tmp_path):
    found = train(library, replicas, fits, tmp_path)
    assert found["chosen"][-1][0] <= fits
    assert found["failed"] == 0
    assert found["history"] < CLOSE
    assert found["values"] < CLOSE


@pytest.mark.soak
@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_no_replica_keeps_a_trace_of_the_step_that_did_not_fit(library, tmp_path):
    """The statistics of the replica that had enough memory had moved."""
    found = train(library, 2, 3, tmp_path, "statistics")
    assert found["own_values"] > 2
    assert found["history"] == 0
    assert found["values"] == 0
    assert any("BatchNormalization" in text for text in found["inexact"])


@pytest.mark.parametrize("library", ["keras", pytest.param("tf_keras", marks=pytest.mark.soak)])
def test_replicas_that_are_recomputed_have_the_values_of_the_plain_ones(library):
    found = start("mirrored_recomputing.py", library)
    assert found["own_values"] > 10
    assert found["values"] == 0
    assert found["history"] == 0
    assert found["share"] <= 0.5
    assert found["copies"] == [2 * found["copies"][1], found["copies"][1]]
    assert found["part_share"] <= 0.6
    assert found["parts"] == 0
    assert found["loop_share"] <= 0.5
    assert found["loop"] == 0
    assert "compiled with XLA" in found["compiled"]
