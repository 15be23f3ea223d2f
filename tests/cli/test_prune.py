"""`fitguard runs prune`."""

from pathlib import Path

import pytest
from supervise.test_pruning import make_run

from fitguard.cli.main import run


def test_a_dry_run_says_what_would_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "one", "finished", 40, size=3 << 20)
    make_run(tmp_path, "two", "finished", 1)
    words = ["runs", "prune", "--older-than", "30d", "--runs-folder", str(tmp_path)]

    assert run([*words, "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["one  finished, 3.0 MiB: would be removed", "1 run would be removed, 3.0 MiB"]
    assert (tmp_path / "one").exists()

    assert run(words) == 0
    assert "1 run removed" in capsys.readouterr().out
    assert not (tmp_path / "one").exists()


def test_without_a_rule_nothing_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "one", "finished", 40)
    assert run(["runs", "prune", "--runs-folder", str(tmp_path)]) == 2
    assert "--older-than" in capsys.readouterr().err
    assert (tmp_path / "one").exists()


def test_the_list_is_still_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "20251115-100000-train-aaaa", "finished", 40)
    assert run(["runs", "--runs-folder", str(tmp_path)]) == 0
    assert "20251115-100000-train-aaaa" in capsys.readouterr().out
