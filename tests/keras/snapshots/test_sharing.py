"""What did not change is on the disk once."""

import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot, write_snapshot
from fitguard.keras.snapshots.inventory import Inventory
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.snapshot_heading import Entry, pack_heading
from fitguard.monitor.unusable_snapshots import TornSnapshot
from fitguard.schema.run import Place

FROZEN = np.random.default_rng(1).random(40_000)
"""320,000 bytes."""


def save(store: SnapshotStore, fit: int, steps: int, *, end: bool = False) -> int:
    trained = np.random.default_rng([fit, steps]).random(10_000)
    arrays = {"frozen": FROZEN, "trained": trained}
    return store.save(Content({"mark": [fit, steps]}, arrays), Place(fit=fit, total_steps=steps),
                      end=end)  # fmt: skip


def assert_whole(folder: Path, fit: int, steps: int) -> None:
    content = SnapshotStore(folder).newest(fit)
    assert content is not None
    assert content.document["mark"] == [fit, steps]
    assert content.arrays["frozen"].tobytes() == FROZEN.tobytes()
    trained = np.random.default_rng([fit, steps]).random(10_000)
    assert content.arrays["trained"].tobytes() == trained.tobytes()


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_ends_of_many_calls_share_what_did_not_change(tmp_path: Path) -> None:
    for fit in range(1, 21):
        store = SnapshotStore(tmp_path)
        save(store, fit, 5)
        save(store, fit, 9, end=True)

    for fit in range(1, 21):
        assert_whole(tmp_path, fit, 9)
    # 20 times 400,000 would be 8 million.
    assert disk_bytes(tmp_path) < 20 * 90_000 + 500_000


def test_a_file_stays_as_long_as_another_needs_its_arrays(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for steps in range(1, 8):
        save(store, 1, steps)
    assert len(list(tmp_path.glob("*.arrays"))) == 1
    assert len(list(tmp_path.glob("*.snapshot"))) == 2
    assert_whole(tmp_path, 1, 7)

    for steps in (8, 9):
        content = Content({}, {"frozen": FROZEN + steps})
        store.save(content, Place(fit=1, total_steps=steps))
    assert not list(tmp_path.glob("*.arrays"))


def test_what_is_set_aside_keeps_its_arrays(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 5, end=True)
    save(store, 2, 5)
    store.set_aside(2, later=True)
    for steps in (1, 2, 3):
        save(store, 2, steps)
    store.set_aside(1, later=True)
    store.save(Content({}, {"x": np.ones(9)}), Place(fit=1, total_steps=1), end=True)

    again = SnapshotStore(tmp_path)
    again.set_aside(1, later=True)
    found = again.newest(1)
    assert found is not None
    assert found.document["mark"] == [1, 5]
    assert_whole(tmp_path, 2, 3)


def test_a_file_is_not_kept_for_a_small_part_of_it(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for steps in range(4):
        arrays = {"same": np.ones(1000), "other": np.full(40_000, steps)}
        store.save(Content({}, arrays), Place(fit=1, total_steps=steps))

    assert not list(tmp_path.glob("*.arrays"))


def test_equal_checksums_are_not_enough(tmp_path: Path) -> None:
    """The bytes on the disk are compared: a damaged copy is not relied on."""
    store = SnapshotStore(tmp_path)
    save(store, 1, 1)
    (first,) = tmp_path.iterdir()
    damaged = bytearray(first.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    first.write_bytes(damaged)

    save(store, 1, 2)

    assert_whole(tmp_path, 1, 2)


def test_without_the_file_that_it_needs_it_is_torn(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 1)
    save(store, 1, 2)
    min(tmp_path.glob("*.snapshot")).unlink()

    store = SnapshotStore(tmp_path)

    assert store.newest() is None
    assert "is gone" in store.torn[0]


def test_what_an_unreadable_file_may_need_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 1)
    save(store, 1, 50)
    opened = Path.open

    def fail(path: Path, *args: object, **more: object) -> object:
        if "step00000000050" in path.name:
            raise OSError(5, os.strerror(5))
        return opened(path, *args, **more)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", fail)
        store = SnapshotStore(tmp_path)
        assert store.newest(1) is not None
        for steps in (2, 3, 4):
            store.save(Content({}, {"x": np.ones(9)}), Place(fit=1, total_steps=steps))

    assert_whole(tmp_path, 1, 50)


def test_a_snapshot_that_shares_nothing_is_of_the_first_form(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "one", Content({}, {"x": FROZEN}))
    assert (tmp_path / "one").read_bytes().startswith(b"FGSNAP1\n")


OTHER = "fit00001-step00000000001-0000000001"
ZEROS = zlib.crc32(bytes(5000))


@pytest.mark.parametrize(
    "entries",
    [
        [("x", 0, 5000, "../../etc/passwd")],
        [("x", 0, 5000, "*")],
        [("x", -64, 5000, OTHER)],
        [("x", 9000, 5000, OTHER)],
        [("x", 10**30, 5000, OTHER)],
        [("x", 64, -5000, OTHER)],
        [("x", 64, 5000, OTHER), ("x", 64, 5000, OTHER)],
        [(f"x{number}", 64, 5000, OTHER) for number in range(9)],
    ],
    ids=["path", "pattern", "before", "behind", "far", "negative", "twice", "more than there is"],
)
def test_hostile_headings(entries: list[tuple[str, int, int, str]], tmp_path: Path) -> None:
    """Whose checksums are right: memory is never taken for more than the files hold."""
    (tmp_path / f"{OTHER}.arrays").write_bytes(bytes(10_000))
    told = [
        Entry(name, "|u1", (abs(length),), offset, length, ZEROS, source)
        for name, offset, length, source in entries
    ]
    forged = tmp_path / "fit00001-step00000000002-0000000002.snapshot"
    forged.write_bytes(pack_heading({}, told))

    with pytest.raises(TornSnapshot):
        read_snapshot(forged, Inventory(tmp_path).locate)


def test_the_forged_heading_is_well_forged(tmp_path: Path) -> None:
    (tmp_path / f"{OTHER}.arrays").write_bytes(bytes(10_000))
    forged = tmp_path / "fit00001-step00000000002-0000000002.snapshot"
    forged.write_bytes(pack_heading({}, [Entry("x", "|u1", (5000,), 64, 5000, ZEROS, OTHER)]))

    content = read_snapshot(forged, Inventory(tmp_path).locate)
    assert content.arrays["x"].tobytes() == bytes(5000)
