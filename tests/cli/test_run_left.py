"""`fitguard explain` of a guarded run."""

import subprocess
import sys
from pathlib import Path

import pytest

from fitguard.cli.main import run
from fitguard.cli.run_left import last_run, read_run_by_id, read_run_folder
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import (
    AttemptEnded,
    AttemptStarted,
    FitBegan,
    Noted,
    Orders,
    RunEnded,
    RunStarted,
)
from fitguard.schema.run import Place

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
    last = last_run(folder / "fitguard-runs")
    assert last is not None
    assert last.state == "stopped"
    left = read_run_folder(last.path)
    assert left is not None
    assert left.command == ("dies.py",)
    assert b"Epoch 1/3" in left.output
    assert b"MemoryError: host" in left.output
    assert left.exit_code == 1


def test_explain_without_a_file_takes_the_last_run(folder: Path) -> None:
    answer = _fitguard(folder, "explain")
    run = next((folder / "fitguard-runs").glob("*-dies-*"))
    assert run.name in answer.stderr
    assert answer.returncode == 0
    assert answer.stdout == _fitguard(folder, "explain", str(run)).stdout
    assert answer.stdout == _fitguard(folder, "explain", run.name[:12]).stdout
    assert "host-oom" in answer.stdout


def test_explain_tells_what_was_not_guarded(folder: Path) -> None:
    run = RunFolder(next((folder / "fitguard-runs").glob("*-dies-*")))
    why = "this fit is not guarded, because keras 9.9 has no Model.fit"
    Journal(run.journal).append(Noted(time=0.0, attempt=1, kind="unguarded", text=why))
    assert read_run_folder(run.path).unguarded == (why,)
    answer = _fitguard(folder, "explain", str(run.path)).stdout
    assert why in " ".join(answer.split())


def test_a_folder_that_is_no_run_is_none(tmp_path: Path) -> None:
    assert read_run_folder(tmp_path) is None
    assert last_run(tmp_path / "missing") is None
    assert last_run(tmp_path) is None
    assert read_run_by_id("2026", tmp_path / "missing") is None


def _write_run(runs: Path, name: str) -> None:
    (runs / name).mkdir(parents=True)
    journal = Journal(RunFolder(runs / name).journal)
    journal.append(RunStarted(time=1.0, id=name, command=("train.py", "--lr", "1")))
    journal.append(FitBegan(time=2.0, place=Place(fit=1), library="keras", batch_size=64))
    journal.append(RunEnded(time=3.0, state="finished", exit_code=0))


def test_the_beginning_of_an_id_is_enough_if_no_other_run_has_it(tmp_path: Path) -> None:
    runs = tmp_path / "fitguard-runs"
    _write_run(runs, "20260101-100000-train-aaaa")
    _write_run(runs, "20260102-100000-train-bbbb")
    left = read_run_by_id("20260102", runs)
    assert left is not None
    assert (left.id, left.batch_size) == ("20260102-100000-train-bbbb", 64)
    assert left.command == ("train.py", "--lr", "1")
    assert read_run_by_id("2027", runs) is None
    with pytest.raises(UsageError, match="20260101-100000-train-aaaa"):
        read_run_by_id("2026", runs)


def test_a_finished_run_tells_what_ended_its_earlier_attempts(tmp_path: Path, capsys) -> None:
    name = "20260101-100000-train-aaaa"
    _write_run(tmp_path, name)
    journal = Journal(RunFolder(tmp_path / name).journal)
    for attempt in (1, 2, 3):
        journal.append(AttemptStarted(time=2.0, attempt=attempt, pid=1, orders=Orders()))
        killed = {"outcome": "killed", "signal": "SIGKILL", "cause": "unknown"}
        end = {"outcome": "finished", "exit_code": 0} if attempt == 3 else killed
        journal.append(AttemptEnded(time=2.5, attempt=attempt, **end))
    journal.append(RunEnded(time=3.0, state="finished", exit_code=0))
    assert run(["explain", str(tmp_path / name)]) == 0
    told = capsys.readouterr().out
    assert "Finished after 3 attempts; 2 crashes survived" in told
    assert "attempts 1 to 2: killed by SIGKILL" in told
    assert "the journal of" in told
    assert "--exit-code" not in told
    assert "fitguard report" in told


def test_a_finished_run_is_told_without_a_list_of_pages(tmp_path: Path) -> None:
    _write_run(tmp_path / "fitguard-runs", "20260101-100000-train-aaaa")
    answer = _fitguard(tmp_path, "explain")
    assert answer.returncode == 0
    first, *ways = answer.stdout.splitlines()
    assert first == "The last run here, 20260101-100000-train-aaaa, finished."
    assert len(ways) < 10
    assert "fitguard explain --list" in answer.stdout
