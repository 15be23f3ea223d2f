"""Runs are removed by age, size, number and state; never what may still be needed."""

import fcntl
import os
import time
from pathlib import Path

import pytest

import fitguard
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import RunEnded, RunStarted

DAY = 86400.0


def make_run(folder: Path, name: str, state: str, days: float, size: int = 1000) -> RunFolder:
    """A run that ended, or was cut off, some days ago."""
    run = RunFolder(folder / name)
    run.snapshots.mkdir(parents=True)
    (run.snapshots / "one.snapshot").write_bytes(bytes(size))
    moment = time.time() - days * DAY
    journal = Journal(run.journal)
    journal.append(RunStarted(time=moment, id=name, command=("train.py",)))
    if state != "lost":
        journal.append(RunEnded(time=moment + 1, state=state, exit_code=0))  # type: ignore[arg-type]
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_run(tmp_path, "a-finished", "finished", 50, size=2 << 20)
    make_run(tmp_path, "b-lost", "lost", 40)
    make_run(tmp_path, "c-stopped", "stopped", 35)
    make_run(tmp_path, "d-finished", "finished", 2)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def prune(folder: Path, *runs: str, **more: object) -> list[str]:
    pruned = fitguard.prune_runs(*runs, runs_folder=folder, **more)  # type: ignore[arg-type]
    return [one.id for one in pruned if not one.why_not]


@pytest.mark.parametrize(
    ("rules", "gone"),
    [
        ({"older_than": "30d"}, ["a-finished", "b-lost"]),
        ({"older_than": "30d", "finished": True}, ["a-finished"]),
        ({"finished": True}, ["a-finished", "d-finished"]),
        ({"larger_than": "1MiB"}, ["a-finished"]),
        ({"keep": 1}, ["a-finished", "b-lost"]),
        ({"keep": 0}, ["a-finished", "b-lost", "d-finished"]),
        ({"keep": 3, "finished": True}, ["a-finished"]),
        ({"older_than": "9w"}, []),
    ],
)
def test_rules(folder: Path, rules: dict[str, object], gone: list[str]) -> None:
    """The newest that is not finished, c, stays."""
    before = names(folder)
    assert prune(folder, dry_run=True, **rules) == gone
    assert names(folder) == before
    assert prune(folder, **rules) == gone
    assert names(folder) == [name for name in before if name not in gone]


def test_the_newest_unfinished_goes_when_it_is_named(folder: Path) -> None:
    assert prune(folder, "c-stop") == ["c-stopped"]
    assert names(folder) == ["a-finished", "b-lost", "d-finished"]


def test_a_running_one_never_goes(folder: Path) -> None:
    run = RunFolder(folder / "b-lost")
    with run.lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (named,) = fitguard.prune_runs("b-lost", runs_folder=folder)
        assert named.why_not == "it is running"
        assert prune(folder, keep=0) == ["a-finished", "d-finished"]
    assert run.journal.exists()


def test_a_journal_does_not_say_what_is_removed(tmp_path: Path) -> None:
    """An edited journal names another folder as its own."""
    victim = tmp_path / "precious"
    victim.mkdir()
    runs = tmp_path / "runs"
    run = make_run(runs, "one", "finished", 3)
    run.journal.write_bytes(run.journal.read_bytes().replace(b'"one"', b'"../precious"'))

    assert prune(runs, finished=True) == ["one"]
    assert victim.is_dir()


def test_links_are_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = make_run(tmp_path_factory.mktemp("other"), "linked", "finished", 90)
    (folder / "linked").symlink_to(elsewhere.path)
    for dry_run in (True, False):
        (pruned,) = fitguard.prune_runs("linked", runs_folder=folder, dry_run=dry_run)
        assert "link" in pruned.why_not
    assert elsewhere.journal.exists()


def test_what_a_killed_prune_left_goes_with_the_next(folder: Path) -> None:
    os.rename(folder / "a-finished", folder / ".removing-a-finished")  # noqa: PTH104
    assert next(run.id for run in fitguard.list_runs(folder).runs) == "b-lost"
    prune(folder, older_than="900d")
    assert names(folder) == ["b-lost", "c-stopped", "d-finished"]


@pytest.mark.parametrize(
    ("runs", "more", "said"),
    [
        ((), {}, "which runs to remove"),
        (("none",), {}, "which is no run"),
        (("",), {}, "an empty id"),
        ((), {"older_than": "a month"}, "30d, 12h or 2w"),
        ((), {"older_than": -1.0}, "Expected an age"),
        ((), {"larger_than": "big"}, "Expected a size"),
        ((), {"keep": -1}, "0 or more"),
    ],
)
def test_wrong_wishes(
    folder: Path, runs: tuple[str, ...], more: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        fitguard.prune_runs(*runs, runs_folder=folder, **more)  # type: ignore[arg-type]
    assert len(names(folder)) == 4


def test_a_run_that_lies_elsewhere_is_not_meant(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = make_run(tmp_path_factory.mktemp("copies"), "d-finished", "finished", 1)
    with pytest.raises(UsageError, match="no run in"):
        fitguard.prune_runs(str(other.path), runs_folder=folder)
    assert prune(folder, str(folder / "d-finished")) == ["d-finished"]
    assert other.journal.exists()
