"""The actor of a training, without Ray: from one node to another through a storage."""

import sys

import msgspec
import pytest
from guarded.results import difference

from fitguard.fleet.hearing import Hearing
from fitguard.fleet.storage.opening import Heard, open_storage
from fitguard.fleet.trainer import Order, Trainer
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import FleetJob


@pytest.fixture
def folder(tmp_path, scripts):
    return scripts(tmp_path)


def order(folder, url, epochs):
    words = ("--resume=auto", "--name=a", "--snapshot-seconds=0.1", f"--python={sys.executable}")
    return Order(
        words=(*words, "--", "small.py", "a.npz", "1", epochs),
        run="a",
        storage=url,
        folder=str(folder),
        environment={"CUDA_VISIBLE_DEVICES": "-1"},
    )


def test_another_node_finds_what_the_first_one_has_finished(
    folder, monkeypatch, train_plainly, tmp_path
):
    url = f"file://{tmp_path}/bucket"
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "one"))
    ended = Trainer().train(order(folder, url, "3"))
    assert ended.exit_code == 0, ended.said
    assert ended.heard == Heard()
    record = open_storage(url).read_records(["a"])["a"]
    assert (record.state, record.kept.total_steps) == ("finished", 60)
    assert not difference(folder / "a.npz", train_plainly(folder, "a", "1", "3"))

    (folder / "a.npz").unlink()
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "two"))
    again = Trainer().train(order(folder, url, "3"))
    assert (again.exit_code, again.record.attempts) == (0, ended.record.attempts)
    assert not (folder / "a.npz").exists()
    assert list((tmp_path / "two").glob("*/runs/a/output.log"))


def test_a_storage_that_is_damaged_refuses_the_start(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "one"))
    manifests = tmp_path / "bucket" / "a" / "manifests"
    manifests.mkdir(parents=True)
    (manifests / "00000001-0000000a-00000001").write_text("{")
    ended = Trainer().train(order(folder, f"file://{tmp_path}/bucket", "3"))
    assert ended.exit_code == 5
    assert "Expected one that is whole" in ended.said


def test_what_fitguard_run_refuses_leaves_nothing_behind(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "one"))
    wrong = order(folder, f"file://{tmp_path}/bucket", "3")
    wrong = msgspec.structs.replace(wrong, words=("--snapshot-seconds=0", *wrong.words))
    ended = Trainer().train(wrong)
    assert ended.exit_code == 2
    assert ended.heard == Heard()


def test_trouble_is_told_once_and_again_when_it_is_over():
    told = []
    hearing = Hearing("s3://bucket", told.append)
    one = Training(FleetJob(name="a", command=("t.py",), folder="/"))
    for trouble in ("", "it is away", "it is away: still", "", ""):
        hearing.note(one, Heard(trouble=trouble))
    assert told == [
        "a: it is away. It is tried again; this is said once.",
        "a: s3://bucket is there again.",
    ]
    hearing.note(one, Heard(trouble="it is away", notes=("a note",)), has_ended=True)
    assert told[2:] == ["a: a note.", "a has ended, but it is away."]
    one.state = "finished"
    assert one.describe(str, "").why == "it is away"
