"""What jobs start from is looked for before anything starts on this machine."""

import pytest

import fitguard
from fitguard.fleet.jobs import build_jobs
from fitguard.fleet.jobs_here import require_here
from fitguard.schema.exit_codes import UsageError


def build(folder, *runs, **more):
    return build_jobs(
        [{"name": f"j{n}", "run": run, "folder": str(folder), **more} for n, run in enumerate(runs)]
    )


def test_what_is_there_may_start(tmp_path):
    (tmp_path / "train.py").touch()
    require_here(build(tmp_path, "train.py --lr 1", "-m package", "python train.py"))


def test_all_that_is_missing_is_told(tmp_path):
    (tmp_path / "train.py").touch()
    with pytest.raises(UsageError) as raised:
        require_here(
            (*build(tmp_path, "train.py", "nothere.py"), *build(tmp_path / "no", "train.py"))
        )
    first, second = str(raised.value).splitlines()
    assert first.startswith("job j1: Received run: nothere.py, and there is no ")
    assert second.startswith(f"job j0: Received folder: {tmp_path / 'no'}")


def test_of_very_many_the_first_are_told(tmp_path):
    with pytest.raises(UsageError) as raised:
        require_here(build(tmp_path, *["nothere.py"] * 25))
    assert str(raised.value).splitlines()[20:] == ["and 5 more"]


def test_no_jobs_are_no_fleet():
    with pytest.raises(UsageError, match="Received no jobs"):
        fitguard.fleet.run([], local=True)
