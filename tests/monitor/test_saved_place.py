"""What a parent knows of snapshots: their names and headings."""

from pathlib import Path

import msgspec

from fitguard.monitor.saved_place import read_saved
from fitguard.monitor.snapshot_heading import pack_heading
from fitguard.monitor.snapshot_names import name_snapshot
from fitguard.schema.run import Place


def write(folder: Path, place: Place, counter: int, *, end: bool = False) -> Path:
    path = folder / name_snapshot(place.fit, place.total_steps, counter, end=end)
    document = {"place": msgspec.to_builtins(place), "end": end, "big": 2**127, "odd": float("nan")}
    path.write_bytes(pack_heading(document, []))
    return path


def test_the_furthest_is_told_with_its_epoch(tmp_path: Path) -> None:
    assert read_saved(tmp_path) is None
    assert read_saved(tmp_path / "absent") is None
    write(tmp_path, Place(fit=1, epoch=4, total_steps=40), 1, end=True)
    assert read_saved(tmp_path) == (Place(fit=1, epoch=4, total_steps=40), True)
    later = Place(fit=2, epoch=3, step=2, total_steps=14)
    write(tmp_path, later, 2)
    assert read_saved(tmp_path) == (later, False)


def test_one_that_is_not_whole_is_not_named(tmp_path: Path) -> None:
    first = Place(fit=1, step=5, total_steps=5)
    write(tmp_path, first, 1)
    torn = write(tmp_path, Place(fit=1, step=9, total_steps=9), 2)
    torn.write_bytes(torn.read_bytes()[:-1])
    (tmp_path / name_snapshot(1, 11, 3, end=False)).write_bytes(pack_heading({}, []))
    (tmp_path / name_snapshot(1, 12, 4, end=False)).write_text("12")
    assert read_saved(tmp_path) == (first, False)
