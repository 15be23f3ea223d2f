"""A storage that is away for a time: nothing is begun in the empty folder in its place."""

import errno
import json
from pathlib import Path

import pytest
from fleet.clusters import small_cluster, wait_for
from guarded.results import difference

from fitguard.fleet.inspecting import inspect_node, mark_storage, unmark_storage
from fitguard.fleet.records import read_record
from fitguard.fleet.trainer import Order, Trainer
from fitguard.schema.journal import LEFT_AS_ASKED

SECONDS = 300
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: first, run: small.py first.npz 1 60 go, priority: 1}
  - {name: second, run: small.py second.npz 2 60 go}
"""


@pytest.fixture
def storage(tmp_path):
    return mark_storage(str(tmp_path / "runs"))


def test_a_training_is_not_begun_without_it(storage, tmp_path):
    unmark_storage(storage)
    order = Order(
        words=("--name=a", "--", "missing.py"),
        run="a",
        storage=storage.name,
        marker=storage.marker,
        folder=str(tmp_path),
    )
    ended = Trainer().train(order)
    assert ended.without_storage
    assert ended.exit_code == LEFT_AS_ASKED
    assert not (tmp_path / "runs" / "a").exists()


def test_a_node_tells_whether_it_sees_it(storage):
    assert "does not see" not in inspect_node(storage).problem
    unmark_storage(storage)
    assert "does not see" in inspect_node(storage).problem


def order_for(storage, folder):
    return Order(
        words=("--name=a", "--snapshot-seconds=0", "--", "missing.py"),  # which it refuses
        run="a",
        storage=storage.name,
        marker=storage.marker,
        folder=str(folder),
    )


def fail_writes(monkeypatch, number):
    def fail(path, _):
        Path(path).touch()  # a full disk takes an empty file
        raise OSError(number, "of the storage")

    monkeypatch.setattr(Path, "write_bytes", fail)


def test_a_storage_that_fails_is_not_there(storage, tmp_path, monkeypatch):
    def fail(_):
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr(Path, "exists", fail)
    assert Trainer().train(order_for(storage, tmp_path)).without_storage
    assert "Stale file handle" in inspect_node(storage).problem


def test_a_storage_that_is_full_is_not_there(storage, tmp_path, monkeypatch):
    fail_writes(monkeypatch, errno.ENOSPC)
    assert Trainer().train(order_for(storage, tmp_path)).without_storage
    assert "cannot write" in inspect_node(storage).problem
    assert [path.name for path in (tmp_path / "runs").glob(".fleet*")] == [storage.marker]


def test_what_is_refused_while_the_storage_goes_is_no_failure(storage, tmp_path, monkeypatch):
    ended = Trainer().train(order_for(storage, tmp_path))
    assert (ended.exit_code, ended.without_storage) == (2, False)
    trainer = Trainer()
    start = trainer._start

    def start_late(*arguments):
        process = start(*arguments)
        unmark_storage(storage)
        return process

    monkeypatch.setattr(trainer, "_start", start_late)
    ended = trainer.train(order_for(storage, tmp_path))
    assert (ended.exit_code, ended.without_storage) == (LEFT_AS_ASKED, True)


@pytest.mark.soak
def test_what_waits_begins_when_it_is_back(tmp_path, scripts, start, train_plainly):
    folder = scripts(tmp_path)
    runs, away = folder / "fitguard-runs", folder / "away"
    with small_cluster("FakeA:300MiB") as cluster:
        with (folder / "log").open("w") as log:
            fleet = start(JOBS, folder, "--address", cluster.address, stderr=log)
        wait_for(lambda: read_record(runs, "first").kept.total_steps, SECONDS)
        runs.rename(away)
        runs.mkdir()
        (folder / "go").touch()
        wait_for((folder / "first.npz").exists, SECONDS)
        wait_for(lambda: "nothing starts on" in (folder / "log").read_text(), SECONDS)
        assert not list(runs.iterdir())
        runs.rmdir()
        away.rename(runs)
        answer, _ = fleet.communicate(timeout=SECONDS)
        assert fleet.returncode == 0, (folder / "log").read_text()
        assert [one["state"] for one in json.loads(answer)["trainings"]] == ["finished"] * 2
    for name, seed in (("first", "1"), ("second", "2")):
        assert not difference(folder / f"{name}.npz", train_plainly(folder, name, seed, "60"))
