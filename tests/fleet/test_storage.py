"""Copies of runs in a storage that is no folder: what counts, what is refused, what is removed."""

import json
import shutil

import pytest
from fleet.buckets import RUN, FaultyFileSystem, Side, list_names
from fleet.clusters import wait_for

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.bucket import StorageAway
from fitguard.fleet.storage.catalog import Catalog, InOtherHands
from fitguard.fleet.storage.manifest import (
    Manifest,
    NewerManifest,
    Number,
    StoredFile,
    WrongManifest,
    decode_manifest,
    list_kept,
    parse_number,
)
from fitguard.fleet.storage.mirroring import MirrorThread
from fitguard.fleet.storage.opening import open_storage
from fitguard.schema.exit_codes import UnreadableInput

A, B, C = "0" * 7 + "a", "0" * 7 + "b", "0" * 7 + "c"


@pytest.fixture
def faulty():
    yield FaultyFileSystem
    FaultyFileSystem.is_away, FaultyFileSystem.dies_after = False, None


def test_another_node_goes_on_with_the_same_files(sides):
    one, two = sides
    assert one.start(A).number == (1, A, 0)
    one.train(1)
    one.mirror.copy(is_last=False)
    one.train(2)
    one.mirror.copy(is_last=False)
    kept = one.read()
    one.lose()
    assert two.start(B).number == (2, B, 0)
    assert two.read() == kept
    assert not two.told
    assert len(kept) == 3


def test_what_means_something_on_its_machine_only_stays_there(sides, there):
    one, two = sides
    one.start(A)
    one.train(1)
    (one.run.path / "output.log").write_text("hello")
    (one.run.snapshots / "link").symlink_to("/etc/passwd")
    one.mirror.copy(is_last=False)
    assert "output.log" not in json.dumps(read_newest(there))
    one.mirror.copy(is_last=True)
    two.start(B)
    names = {path.name for path in two.run.path.iterdir()}
    assert names == {"journal.jsonl", "snapshots", "output.log"}
    # It is not lost with the next copy, which is made while the training writes there.
    two.train(2)
    (two.run.path / "output.log").unlink()
    two.mirror.copy(is_last=False)
    assert "output.log" in json.dumps(read_newest(there))


def read_newest(there):
    newest = list_names(there, "manifests")[-1]
    return json.loads((there / RUN / "manifests" / newest).read_bytes())


def test_two_generations_stay_and_nothing_of_the_users_goes(sides, there):
    one, _ = sides
    one.start(A)
    for steps in range(1, 6):
        one.train(steps)
        one.mirror.copy(is_last=False)
        (there / RUN / "objects" / "mine.txt").write_text("mine")
    assert len(list_names(there, "manifests")) == 2
    # Snapshots 3, 4, 5 and the journals of the two copies.
    assert len([name for name in list_names(there, "objects") if len(name) == 64]) == 5
    assert (there / RUN / "objects" / "mine.txt").exists()


@pytest.mark.parametrize("fault", ["torn", "changed", "missing", "manifest"])
def test_a_copy_that_is_not_whole_does_not_count_and_that_is_said(sides, there, fault):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    before = one.read()
    one.train(2)
    one.mirror.copy(is_last=False)
    files = {file["path"]: file["sha256"] for file in read_newest(there)["files"]}
    newest = there / RUN / "objects" / files[max(files)]
    if fault == "torn":
        newest.write_bytes(newest.read_bytes()[:-1])
    elif fault == "changed":
        newest.write_bytes(b"\0" * newest.stat().st_size)
    elif fault == "missing":
        newest.unlink()
    else:
        manifest = there / RUN / "manifests" / list_names(there, "manifests")[-1]
        manifest.write_bytes(manifest.read_bytes()[:-9])
    two.start(B)
    assert two.read() == before
    assert "is not whole" in two.told[0]
    # What comes next is whole again.
    two.train(2)
    two.mirror.copy(is_last=False)
    kept = two.read()
    one.lose()
    one.start(C)
    assert one.read() == kept
    assert not one.told


def test_if_the_only_copy_is_torn_nothing_begins_anew_from_the_claim_before_it(sides, there):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    assert len(list_names(there, "manifests")) == 2
    for path in (there / RUN / "objects").iterdir():
        path.write_bytes(b"torn")
    with pytest.raises(UnreadableInput, match="Expected one that is whole"):
        two.start(B)


def test_if_no_copy_is_whole_nothing_begins_anew(sides, there):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    for path in (there / RUN / "manifests").iterdir():
        path.write_bytes(b"{")
    with pytest.raises(UnreadableInput, match="Expected one that is whole"):
        two.start(B)
    # The node that has it goes on.
    one.start(C)
    one.mirror.copy(is_last=False)
    two.start("0" * 7 + "d")
    assert two.read() == one.read()


def test_a_writer_that_was_taken_for_dead(sides):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    two.start(B)
    one.train(9)
    with pytest.raises(InOtherHands):
        one.mirror.copy(is_last=False)
    two.train(2)
    two.mirror.copy(is_last=False)
    kept = two.read()
    # Also if its last copy comes all the same.
    record = RunRecord(run=RUN)
    Catalog(one.bucket, RUN).write(Number(1, A, 99), Manifest(record=record))
    two.lose()
    two.start(C)
    assert two.read() == kept


def test_of_two_that_take_the_same_number_one_wins_everywhere(sides):
    one, two = sides
    one.start(B)
    catalog = Catalog(one.bucket, RUN)
    catalog.write(Number(1, A, 7), Manifest(record=RunRecord(run=RUN)))
    one.train(1)
    one.mirror.copy(is_last=False)
    catalog.write(Number(1, C, 0), Manifest(record=RunRecord(run=RUN)))
    with pytest.raises(InOtherHands):
        one.mirror.copy(is_last=False)
    assert two.start(A).number.start == 2


def test_the_node_that_is_ahead_keeps_what_it_has(sides):
    one, _ = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    one.train(2)  # and its actor dies
    ahead = one.read()
    one.start(B)
    assert one.read() == ahead


def test_a_node_that_was_overtaken_takes_what_the_storage_has(sides):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    two.start(B)
    two.train(2)
    two.mirror.copy(is_last=False)
    one.train(7)
    one.start(C)
    assert one.read() == two.read()


def test_a_storage_that_was_emptied_begins_anew_and_nothing_is_removed(sides, there):
    one, _ = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    there.rename(there.with_name("away"))
    one.start(B)
    assert one.read() == {}
    assert "begins anew" in one.told[0]
    assert list((one.node.path / "aside").glob("*/journal.jsonl"))


def entry(path="journal.jsonl", size_bytes=1, sha256="a" * 64):
    return {"path": path, "size_bytes": size_bytes, "sha256": sha256}


def encode(*files, schema="fitguard/fleet-copy/1"):
    return json.dumps({"schema": schema, "files": files, "record": {"run": RUN}}).encode()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../b/journal.jsonl",
        "snapshots/../../x",
        "snapshots/./x",
        "snapshots//x",
        "snapshots/x\0",
        "snapshots/x\x1b[2J",
        "snapshots\\x",
        "lock",
        "lease.0000000001",
        "heartbeat",
        ".ssh/authorized_keys",
        "",
        "snapshots/" + "x/" * 600 + "x",
    ],
)
def test_paths_that_no_copy_has(path):
    with pytest.raises(WrongManifest, match="which no copy of a run has"):
        decode_manifest(encode(entry(path)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[" * 100_000,
        b'{"schema": "other", "record": {"run": "a"}}',
        b"\xff\xfe",
        encode(entry(sha256="../../../etc/passwd")),
        encode(entry(sha256="A" * 64)),
        encode(entry(size_bytes=-1)),
        encode(entry(size_bytes=2**60)),
        encode(entry(), entry()),
        encode(entry(size_bytes="1")),
    ],
)
def test_manifests_that_are_none(content):
    with pytest.raises(WrongManifest):
        decode_manifest(content)


def test_what_a_newer_fitguard_wrote_is_not_passed_over(sides, there):
    with pytest.raises(NewerManifest):
        decode_manifest(encode(schema="fitguard/fleet-copy/2"))
    one, two = sides
    one.start(A)
    (there / RUN / "manifests" / str(Number(5, A, 0))).write_bytes(
        encode(schema="fitguard/fleet-copy/2")
    )
    with pytest.raises(UnreadableInput, match="newer fitguard"):
        two.start(B)


def test_a_file_that_is_a_folder_too_and_links_are_refused(sides, there):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    kept = one.read()
    files = read_newest(there)["files"]
    snapshot = next(file for file in files if file["path"].startswith("snapshots/"))
    below = {**snapshot, "path": f"{snapshot['path']}/x"}
    (there / RUN / "manifests" / str(Number(8, A, 0))).write_bytes(encode(snapshot, below))
    secret = there / "secret"
    secret.write_text("s")
    (there / RUN / "objects" / ("d" * 64)).symlink_to(secret)
    linked = encode(entry("orders.json", 1, "d" * 64))
    (there / RUN / "manifests" / str(Number(9, A, 0))).write_bytes(linked)
    two.start(B)
    assert two.read() == kept
    assert "a file and a folder" in two.told[0]
    assert "orders.json is missing" in two.told[0]


def test_which_copies_are_kept():
    def copy(*names):
        files = tuple(StoredFile(path=name, size_bytes=1, sha256="a" * 64) for name in names)
        return Manifest(files=files, record=RunRecord(run=RUN))

    numbers = [Number(1, A, 3), Number(1, A, 4), Number(2, B, 0), Number(2, B, 1)]
    copies = dict(zip(numbers, [copy("x"), copy("y"), copy("y"), copy("z")], strict=True))
    # The claim of the second start holds what the copy before it holds.
    assert list_kept(copies) == [Number(2, B, 1), Number(2, B, 0)]
    assert parse_number(str(numbers[0])) == numbers[0]
    assert parse_number("../1") is None


def test_a_storage_that_is_away_for_a_time(tmp_path, there, faulty):
    side = Side(f"faulty://{there}", tmp_path / "one")
    side.start(A)
    side.train(1)
    thread = MirrorThread(side.mirror, side.node, RUN, "faulty://", lambda: None)
    faulty.dies_after = 1
    thread.start()
    wait_for(lambda: thread.trouble)
    assert "do not reach faulty://: ConnectionResetError" in thread.trouble
    side.train(2)
    faulty.is_away, faulty.dies_after = False, None
    assert not thread.finish(60, lambda: False, 60)
    other = Side(f"faulty://{there}", tmp_path / "two")
    other.start(B)
    assert other.read() == side.read()
    assert not other.told


def test_a_storage_that_stays_away_is_said_at_the_end(tmp_path, there, faulty):
    side = Side(f"faulty://{there}", tmp_path / "one")
    side.start(A)
    side.train(1)
    thread = MirrorThread(side.mirror, side.node, RUN, "faulty://", lambda: None)
    faulty.is_away = True
    thread.start()
    assert "no answer from the storage" in thread.finish(3, lambda: False, 3)
    with pytest.raises(StorageAway):
        side.start(B)


def test_a_start_that_has_lost_the_run_leaves(sides):
    one, two = sides
    one.start(A)
    one.train(1)
    left = []
    two.start(B)
    thread = MirrorThread(one.mirror, one.node, RUN, "file://", lambda: left.append(1))
    thread.start()
    wait_for(lambda: thread.lost)
    assert left == [1]
    assert "another start" in thread.finish(60, lambda: False, 60)


@pytest.mark.parametrize("what", ["all of it", "its snapshots"])
def test_what_is_left_of_a_run_that_is_removed_does_not_count(sides, what):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    kept = one.read()
    shutil.rmtree(one.run.path if what == "all of it" else one.run.snapshots)
    thread = MirrorThread(one.mirror, one.node, RUN, "file://", lambda: None)
    thread.start()
    assert "was removed" in thread.finish(60, lambda: False, 60)
    two.start(B)
    assert two.read() == kept


def test_the_record_of_a_run_comes_with_its_copy(sides, there):
    one, _ = sides
    storage = open_storage(f"file://{there}")
    assert storage.read_records([RUN]) == {RUN: RunRecord(run=RUN)}
    one.start(A)
    one.train(3)
    one.mirror.copy(is_last=False)
    record = storage.read_records([RUN])[RUN]
    assert record.kept.total_steps == 3
    assert record.command == ("t.py",)
