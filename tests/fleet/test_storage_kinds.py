"""Which storages there are, which addresses cannot be, and a run out of one of them."""

import msgspec
import pytest
from fleet.buckets import RUN, list_names

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.bucket import Bucket, StorageAway
from fitguard.fleet.storage.fetching import fetch
from fitguard.fleet.storage.manifest import (
    Manifest,
    decode_manifest,
)
from fitguard.fleet.storage.opening import find_storage_notes, is_remote, name_storage, open_storage
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import FleetJob

A, B, C = "0" * 7 + "a", "0" * 7 + "b", "0" * 7 + "c"


def test_nodes_that_see_the_same_storage(there, tmp_path, monkeypatch):
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "node"))
    storage = open_storage(f"file://{there}")
    marker = storage.mark()
    assert not storage.find_problem(marker)
    assert (tmp_path / "node").stat().st_mode & 0o777 == 0o700
    assert "does not see" in open_storage(f"file://{there}-2").find_problem(marker)
    storage.unmark(marker)
    assert list(there.iterdir()) == []


def test_a_run_out_of_the_storage(sides, there, tmp_path):
    one, _ = sides
    url, runs = f"file://{there}", tmp_path / "runs"
    with pytest.raises(UnreadableInput, match="has no run a"):
        fetch(url, RUN, runs)
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    kept = one.read()
    one.train(2)
    one.mirror.copy(is_last=True)
    newest = there / RUN / "manifests" / list_names(there, "manifests")[-1]
    newest.write_bytes(b"{")
    path, told = fetch(url, RUN, runs)
    assert "is not whole" in told[0]
    found = {str(file.relative_to(path)): file for file in path.rglob("*") if file.is_file()}
    assert {name: file.read_bytes() for name, file in found.items()} == kept
    for name in ("../a", RUN):  # no name, and one that is there already
        with pytest.raises(UsageError):
            fetch(url, name, runs)


@pytest.mark.parametrize("fault", [StorageAway("gone"), KeyboardInterrupt(), "changed"])
def test_a_run_that_did_not_come_leaves_nothing_behind(sides, there, tmp_path, monkeypatch, fault):
    one, _ = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    if fault == "changed":
        for path in (there / RUN / "objects").iterdir():
            path.write_bytes(b"\0" * path.stat().st_size)
    else:
        download = Bucket.download

        def fail(bucket, *arguments):
            download(bucket, *arguments)
            raise fault

        monkeypatch.setattr(Bucket, "download", fail)
    with pytest.raises((UnreadableInput, KeyboardInterrupt)):
        fetch(f"file://{there}", RUN, tmp_path / "runs")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [".gitignore"]


def test_a_start_that_has_kept_nothing_is_no_run(sides, there, tmp_path):
    one, _ = sides
    one.start(A)
    with pytest.raises(UnreadableInput, match="kept nothing yet"):
        fetch(f"file://{there}", RUN, tmp_path / "runs")
    assert not (tmp_path / "runs" / RUN).exists()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("memory://runs", "memory of one process"),
        ("s3://key:secret@bucket/runs", "with a password"),
        ("simplecache::s3://bucket", "one address"),
    ],
)
def test_addresses_that_cannot_be(url, why):
    with pytest.raises(UsageError, match=why) as refused:
        name_storage(url, [])
    assert "secret" not in str(refused.value)


def test_a_protocol_that_nobody_knows_and_one_without_its_package():
    with pytest.raises(UsageError, match="Expected an address that fsspec knows"):
        Bucket("nothing://bucket")
    with pytest.raises(UsageError, match="pip install adlfs"):
        Bucket("abfs://bucket")


def test_gangs_need_a_folder(tmp_path):
    gang = FleetJob(name="wide", command=("t.py",), folder="/", workers=2)
    with pytest.raises(UsageError, match="the job wide with 2 workers"):
        name_storage("s3://bucket/runs", [gang])
    assert name_storage(tmp_path, [gang]) == str(tmp_path)
    assert is_remote("s3://bucket")


def test_what_is_here_can_be_written_there():
    manifest = Manifest(record=RunRecord(run=RUN))
    assert decode_manifest(msgspec.json.encode(manifest)) == manifest


def test_what_is_said_of_an_address():
    assert find_storage_notes("/shared/runs") == ()
    fleets, trust = find_storage_notes("s3://bucket/runs")
    assert "two fleets" in fleets
    assert "only you" in trust
