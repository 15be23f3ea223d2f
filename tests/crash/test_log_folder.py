"""The logs in a folder."""

from pathlib import Path

import pytest

from fitguard.crash.log_folder import MOST, expand_pattern, list_logs
from fitguard.schema.exit_codes import UnreadableInput


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")


def listed(folder: Path) -> list[str]:
    return [str(file.relative_to(folder)) for file in list_logs(folder)]


def test_numbers_in_names_are_counted(tmp_path: Path) -> None:
    make(tmp_path, "worker10.log", "worker2.log", "worker2.log.gz", "train.py", "notes.txt")
    assert listed(tmp_path) == ["worker2.log", "worker2.log.gz", "worker10.log"]


def test_folders_of_ranks_as_launchers_make_them(tmp_path: Path) -> None:
    make(tmp_path, "attempt_0/1/stderr.log", "attempt_0/0/stdout.log", "rank.0/stderr")
    assert listed(tmp_path) == ["attempt_0/0/stdout.log", "attempt_0/1/stderr.log", "rank.0/stderr"]


def test_texts_count_where_there_is_nothing_else(tmp_path: Path) -> None:
    make(tmp_path, "worker0.txt", "worker1.txt")
    assert listed(tmp_path) == ["worker0.txt", "worker1.txt"]


def test_a_folder_without_logs_or_with_too_many(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="a folder without logs"):
        list_logs(tmp_path)
    make(tmp_path, *(f"{number}.log" for number in range(MOST + 1)))
    with pytest.raises(UnreadableInput, match=f"more than {MOST} logs"):
        list_logs(tmp_path)


def test_a_pattern(tmp_path: Path) -> None:
    make(tmp_path, "w10.log", "w9.log", "x.log")
    assert [file.name for file in expand_pattern(f"{tmp_path}/w*.log")] == ["w9.log", "w10.log"]
    assert expand_pattern("no pattern") == []
    assert expand_pattern(f"{tmp_path}/z*.log") == []
