"""Real runs of the real TensorFlow that really fail: what they wrote, explained."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from corpus.forking import ForkServer

from fitguard.crash.explanation import explain

TENSORFLOW = """
import keras
import numpy as np
import tensorflow as tf

def trained(x, y, loss, *layers, optimizer="adam", epochs=1):
    model = keras.Sequential([keras.Input(x.shape[1:]), *layers])
    model.compile(optimizer=optimizer, loss=loss)
    model.fit(x, y, epochs=epochs, verbose=2)
    return model
"""
# TensorFlow's own switch: the allocator of GPUs, with a limit, on the CPU.
POOL = {"TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "256"}


HEALTHY = "trained(np.ones((64, 8)), np.zeros(64), 'mse', keras.layers.Dense(1))"


class Failure(NamedTuple):
    """A script, and what it must be explained by."""

    script: str
    causes: set[str | None]
    tensorflow: bool = True
    pool: bool = False


FAILURES = {
    "features that the model does not have": Failure(
        """
        model = trained(np.ones((64, 8)), np.zeros(64), 'mse', keras.layers.Dense(1))
        model.fit(np.ones((64, 9)), np.zeros(64), verbose=2)
        """,
        {"data-shape-dtype"},
    ),
    "rows of several lengths": Failure(
        "tf.convert_to_tensor(np.array([[1], [2, 3]], dtype=object))", {"data-shape-dtype"}
    ),
    "a label beyond the classes": Failure(
        """
        trained(np.ones((64, 8)), np.full(64, 10), 'sparse_categorical_crossentropy',
                keras.layers.Dense(10, activation='softmax'))
        """,
        {"data-label-range"},
    ),
    "a word beyond the vocabulary": Failure(
        """
        trained(np.full((64, 8), 1000), np.zeros(64), 'mse', keras.layers.Embedding(1000, 4),
                keras.layers.Flatten(), keras.layers.Dense(1))
        """,
        {"data-label-range"},
    ),
    "a loss that explodes": Failure(
        """
        trained(np.random.rand(256, 8) * 1e18, np.random.rand(256), 'mse', keras.layers.Dense(64),
                keras.layers.Dense(1), optimizer=keras.optimizers.SGD(1e6), epochs=3)
        """,
        {"numeric-nan"},
    ),
    "a batch that does not fit": Failure(
        """
        x = tf.random.normal((4096, 64))
        for units in (1024, 4096, 16384):
            x = tf.matmul(x, tf.random.normal((x.shape[1], units)))
        """,
        {"gpu-oom"},
        pool=True,
    ),
    "tensors that nobody lets go": Failure(
        """
        kept = []
        for step in range(1000):
            kept.append(tf.random.normal((1024, 1024)))
            print("step", step)
        """,
        {"gpu-memory-leak"},
        pool=True,
    ),
    "holes everywhere": Failure(
        """
        kept = [tf.random.normal((1024, 256)) for _ in range(220)][::2]
        tf.random.normal((1024, 1024, 20))
        """,
        {"gpu-fragmentation"},
        pool=True,
    ),
    "killed from outside": Failure(
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {"host-oom"}, tensorflow=False
    ),
    "an instruction that this processor has not": Failure(
        "import os, signal; os.kill(os.getpid(), signal.SIGILL)", {"cpu-isa"}, tensorflow=False
    ),
    "a pointer to nowhere": Failure(
        "import ctypes, faulthandler; faulthandler.enable(); ctypes.string_at(0)",
        {None},
        tensorflow=False,
    ),
    "more memory than there is": Failure(
        "held = [bytearray(1 << 50)]", {"host-oom"}, tensorflow=False
    ),
    "a package that is not there": Failure(
        "import tensorflow_of_tomorrow", {"package-conflict", None}, tensorflow=False
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(TF_CPP_MIN_LOG_LEVEL="0") as server:
        yield server


@pytest.mark.parametrize("name", FAILURES)
def test_a_real_failure_is_explained(name: str, server: ForkServer, tmp_path: Path) -> None:
    failure = FAILURES[name]
    script = tmp_path / "train.py"
    lines = textwrap.dedent(failure.script)
    script.write_text((TENSORFLOW if failure.tensorflow else "") + lines, encoding="utf-8")
    ended = server.train(script, tmp_path, environment=POOL if failure.pool else {})
    explanation = explain(tmp_path / "output.txt", exit_code=ended.code)
    assert explanation.primary in failure.causes, explanation


def test_nothing_is_wrong_with_a_healthy_run(tmp_path: Path) -> None:
    """A process of its own: importing TensorFlow writes much that looks worse than it is."""
    log = tmp_path / "train.log"
    with log.open("wb") as out:
        process = subprocess.run(
            [sys.executable, "-c", TENSORFLOW + HEALTHY],
            stdout=out,
            stderr=out,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0"},
            timeout=300,
            check=False,
        )
    assert explain(log, exit_code=process.returncode).primary in {"none", None}
