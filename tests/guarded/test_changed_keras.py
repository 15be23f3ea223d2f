"""A Keras that has moved what fitguard stands on: it trains as it would, and that is said."""

import os
import shutil
from pathlib import Path

import keras
import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference

from fitguard.schema.exit_codes import ExitCode

_SCRIPT = "dense_arrays.py"
_TRAINER = "backend/tensorflow/trainer.py"
_MOVED = [
    ("trainers/epoch_iterator.py", "_enumerate_iterator", "_walk_iterator"),
    *(
        pytest.param(*moved, marks=pytest.mark.soak)
        for moved in (
            ("callbacks/callback_list.py", "on_train_begin", "on_training"),
            (_TRAINER, "catch_stop_iteration", "catch_end"),
            (_TRAINER, "TFEpochIterator", "EpochReader"),
            (_TRAINER, "self.train_function", "self._step_function"),
        )
    ),
]


@pytest.mark.parametrize(("file", "name", "other"), _MOVED)
def test_a_new_keras_trains_unguarded_and_says_so(tmp_path: Path, file, name, other) -> None:
    library = tmp_path / "library"
    copy_keras(library, name, other)
    assert other in (library / "keras" / "src" / file).read_text()
    paths = {"PYTHONPATH": os.pathsep.join([str(library), os.environ["PYTHONPATH"]])}
    plain = run_plain(_SCRIPT, tmp_path / "plain.npz", **paths)
    assert plain.code == 0, plain.text
    with GuardedRun(tmp_path / "run", _SCRIPT, environment=paths) as run:
        ended = run.wait()
    assert ended.code == 0
    assert "this fit is not guarded, because" in ended.text
    assert name in ended.text
    assert f"keras {keras.__version__}" in ended.text
    assert "nothing was guarded" in ended.text
    assert difference(tmp_path / "plain.npz", run.out) == ""
    options = ["--require-guard"]
    with GuardedRun(tmp_path / "must", _SCRIPT, options=options, environment=paths) as required:
        refused = required.wait()
    assert refused.code == ExitCode.GATE_FAILED
    assert "fitguard stops here: --require-guard was given" in refused.text
    assert not required.out.exists()


def copy_keras(folder: Path, name: str, other: str) -> None:
    """All of Keras, with one name changed wherever it stands."""
    shutil.copytree(Path(keras.__file__).parent, folder / "keras")
    for file in (folder / "keras" / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        if name in text:
            file.write_text(text.replace(name, other), "utf-8")
