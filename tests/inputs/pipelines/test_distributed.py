"""Datasets that a strategy has distributed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fitguard.inputs.pipelines.reading import open_dataset


@pytest.fixture(scope="module")
def answer() -> Any:
    script = Path(__file__).with_name("distributed_training.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("kind", "replicas"), [("dataset", 2), ("function", 1)])
def test_a_distributed_dataset_is_read_without_a_trace(
    kind: str, replicas: int, answer: Any
) -> None:
    found = answer[kind]

    assert found["unread"] == ""
    assert found["replicas"] == replicas
    assert found["stages"][:3] == ["range", "shuffle", "batch"]
    assert found["batches"] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert found["reader"] == found["none"]
    assert found["plain"] != found["none"]


def test_what_is_made_on_the_workers_is_not_read() -> None:
    class PerWorkerDataset:
        """Stands for what a cluster coordinator makes: it has no dataset here."""

    reading = open_dataset(PerWorkerDataset())

    assert "PerWorkerDataset" in reading.unread
    assert reading.pipeline.stages == ()
