"""A script that fails behind its `fit`, where it had edited one of its own modules."""

from guarded.harness import GuardedRun

RATES = "rate = 0.1\n"
SCRIPT = """
import sys
from pathlib import Path

import keras
import numpy as np
import rates

x = np.random.default_rng(3).normal(size=(32, 4)).astype("float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(rates.rate), "mse")
model.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0)
Path(rates.__file__).write_text("rate = 0.2\\n")
Path("missing", "scores.txt").write_text("1")
"""


def test_the_error_is_placed_behind_it_and_the_edit_is_named(tmp_path):
    script, module = tmp_path / "train.py", tmp_path / "rates.py"
    script.write_text(SCRIPT)
    module.write_text(RATES)
    with GuardedRun(tmp_path, script, options=("--snapshot-seconds", 0.001)) as run:
        ended = run.wait()
    assert ended.code == 1, ended.text
    assert "Attempt 1 ended with an error after the end of fit 1. It starts again" in ended.text
    assert "Attempt 2 ended with an error after the end of fit 1 again. fitguard st" in ended.text
    assert ended.text.count("fitguard: rates.py has changed since attempt 1: what was") == 1
    assert [note.kind for note in run.record.notes] == ["changed-script"]
