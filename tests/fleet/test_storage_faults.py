"""A storage, a disk or another writer that fails in the middle of a start or a copy."""

import errno
import json

import pytest
from fleet.buckets import RUN, Side, list_names
from fsspec.implementations.local import LocalFileSystem

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage import remote
from fitguard.fleet.storage.bucket import Bucket, StorageAway
from fitguard.fleet.storage.catalog import Catalog
from fitguard.fleet.storage.manifest import Manifest, Number, StoredFile, WrongManifest
from fitguard.fleet.storage.node_folder import NodeFolder
from fitguard.fleet.storage.opening import NodeUnfit, open_storage
from fitguard.fleet.trainer import Order, Trainer
from fitguard.schema.journal import LEFT_AS_ASKED

A, B = "0" * 7 + "a", "0" * 7 + "b"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """The folder of this node, and no pauses."""
    monkeypatch.setenv("FITGUARD_NODE_FOLDER", str(tmp_path / "here"))
    monkeypatch.setattr(remote.Mirrored, "_wait", lambda *_: None)


def keep(there, is_asked=lambda: False):
    storage = open_storage(f"file://{there}")
    return storage.keep(RUN, is_asked=is_asked, leave=lambda: None)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "io"), PermissionError("no")])
def test_a_folder_that_cannot_be_listed_is_not_empty(sides, there, monkeypatch, error):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(LocalFileSystem, "ls", fail)
    with pytest.raises(StorageAway):
        two.start(B)
    assert open_storage(f"file://{there}").read_records([RUN])[RUN].why


def test_a_folder_of_which_a_file_goes_while_it_is_listed_is_not_empty(sides, monkeypatch):
    one, two = sides
    one.start(A)

    def fail(*_, **__):
        raise FileNotFoundError("an object")

    monkeypatch.setattr(LocalFileSystem, "ls", fail)
    with pytest.raises(StorageAway, match="while it was listed"):
        two.start(B)
    assert two.bucket.list_sizes("nowhere") == {}


def test_what_the_writer_before_removes_meanwhile_is_written_again(sides, there, monkeypatch):
    one, two = sides
    one.start(A)
    for steps in (1, 2, 3):
        one.train(steps)
        one.mirror.copy(is_last=False)
    write = Catalog.write

    def write_late(catalog, number, manifest):
        monkeypatch.setattr(Catalog, "write", write)
        for steps in (4, 5):
            one.train(steps)
            one.mirror.copy(is_last=False)
        write(catalog, number, manifest)

    monkeypatch.setattr(Catalog, "write", write_late)
    claimed = two.start(B)
    assert claimed.present == set(list_names(there, "objects"))
    two.mirror.copy(is_last=False)
    kept = two.read()
    two.lose()
    two.start("0" * 7 + "c")
    assert two.read() == kept
    assert not two.told


@pytest.mark.parametrize("moment", ["manifests are read", "objects are listed"])
def test_copies_that_go_for_newer_ones_are_not_missed(sides, monkeypatch, moment):
    one, two = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    name = "read_one" if moment == "manifests are read" else "list_objects"
    function = getattr(Catalog, name)

    def come_late(catalog, *arguments):
        monkeypatch.setattr(Catalog, name, function)
        for steps in (7, 8, 9):
            one.train(steps)
            one.mirror.copy(is_last=False)
        return function(catalog, *arguments)

    monkeypatch.setattr(Catalog, name, come_late)
    two.train(1)  # which is not to be set aside
    with pytest.raises(StorageAway, match="came and went"):
        two.start(B)
    two.start(B)
    assert two.read() == one.read()


@pytest.mark.parametrize("name", ["a\\b", "a\x01b", "\udcff", "x" * 200 + "/" + "y" * 200])
def test_names_that_no_copy_has_do_not_spoil_it(sides, name):
    one, two = sides
    one.start(A)
    one.train(1)
    path = one.run.path / "files" / "aside" / "attempt-1" / "z" / name
    if "/" in name:
        path = path.parent.joinpath(*["x" * 200] * 5, name)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"in the way")
    (path.parent / "plain").write_bytes(b"in the way, too")
    one.mirror.copy(is_last=False)
    one.train(2)
    one.mirror.copy(is_last=False)
    assert len(one.told) == 1
    assert "stay on this node" in one.told[0]
    one.told[0].encode()
    two.start(B)
    assert not two.told
    kept = {path for path in one.read() if "aside" not in path}
    assert kept <= two.read().keys()
    if "/" not in name:
        assert any(path.endswith("plain") for path in two.read())


@pytest.mark.parametrize("number_of_files", [100_001, 99_999])
def test_a_copy_that_nobody_could_read_is_not_written(tmp_path, number_of_files):
    files = tuple(
        StoredFile(path=f"files/{number}{'x' * 90}", size_bytes=1, sha256="a" * 64)
        for number in range(number_of_files)
    )
    catalog = Catalog(Bucket(f"file://{tmp_path}/bucket"), RUN)
    with pytest.raises(WrongManifest, match="Expected"):
        catalog.write(Number(1, A, 1), Manifest(files=files, record=RunRecord(run=RUN)))
    assert not catalog.list_numbers()


def test_notes_that_come_after_others_were_heard(sides, there):
    one, _ = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    newest = there / RUN / "manifests" / list_names(there, "manifests")[-1]
    content = json.loads(newest.read_bytes())
    kept = keep(there, is_asked=lambda: bool(kept.listen().notes))
    newest.with_name(str(Number(1, A, 9))).write_text(json.dumps({**content, "files": 1}))
    kept.begin()
    (note,) = kept.listen().notes
    assert "is not whole" in note
    assert kept.listen().notes == ()
    assert not kept.finish()


@pytest.fixture
def full(monkeypatch):
    """What comes out of the storage does not fit on the disk."""
    tries = []

    def download(*_):
        tries.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Bucket, "download", download)
    return tries


def test_a_full_disk_is_left_to_other_nodes(sides, there, full, tmp_path):
    one, _ = sides
    one.start(A)
    one.train(1)
    one.mirror.copy(is_last=False)
    order = Order(words=(), run=RUN, storage=f"file://{there}", folder=str(tmp_path))
    ended = Trainer().train(order)
    assert (ended.exit_code, ended.without_storage) == (LEFT_AS_ASKED, True)
    assert "No space left" in ended.heard.trouble
    assert len(full) == 5


def test_a_node_that_has_no_folder_for_it_is_left_to_others(there, monkeypatch):
    monkeypatch.setattr(NodeFolder, "find_problem", lambda _: "it is read-only")
    with pytest.raises(NodeUnfit, match="it is read-only"):
        keep(there).begin()


def test_a_run_of_which_snapshots_come_too_fast_is_not_gone(tmp_path, there, monkeypatch):
    side = Side(f"file://{there}", tmp_path / "one")
    side.start(A)
    side.train(1)
    side.mirror.copy(is_last=False)
    steps = iter(range(2, 99))

    def list_late(tree):
        side.train(next(steps))
        return sorted(tree.glob("*.snapshot"))

    monkeypatch.setattr("fitguard.supervise.linked_copy._list_files", list_late)
    with pytest.raises(OSError, match="changed while they were linked"):
        side.mirror.copy(is_last=False)
    assert not (side.node.copies / RUN).exists()
