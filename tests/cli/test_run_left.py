"""`fitguard explain` of a guarded run."""

import subprocess
import sys
from pathlib import Path

import pytest

from fitguard.cli.run_left import died_last, left_by

_DIES = "print('Epoch 1/3', flush=True)\nraise MemoryError('host')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("guarded")
    (path / "dies.py").write_text(_DIES)
    ran = _fitguard(path, "run", "dies.py")
    assert ran.returncode == 1
    return path


def _fitguard(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fitguard", *words]
    return subprocess.run(command, cwd=path, capture_output=True, text=True, timeout=300)


def test_the_output_and_the_end_are_found(folder: Path) -> None:
    left = died_last(folder / "fitguard-runs")
    assert left is not None
    assert b"Epoch 1/3" in left.output
    assert b"MemoryError: host" in left.output
    assert left.exit_code == 1


def test_explain_without_a_file_takes_the_last_run(folder: Path) -> None:
    answer = _fitguard(folder, "explain")
    run = next((folder / "fitguard-runs").glob("*-dies-*"))
    assert run.name in answer.stderr
    assert answer.returncode == 0
    assert answer.stdout == _fitguard(folder, "explain", str(run)).stdout
    assert "host-oom" in answer.stdout


def test_a_folder_that_is_no_run_is_none(tmp_path: Path) -> None:
    assert left_by(tmp_path) is None
    assert died_last(tmp_path / "missing") is None
    assert died_last(tmp_path) is None
