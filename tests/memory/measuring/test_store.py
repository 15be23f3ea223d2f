"""Measurements are kept in a folder; what is spoilt there costs nothing but itself."""

from pathlib import Path

from fitguard.memory.measuring.store import Kept, Store, cache_folder
from fitguard.schema.plan import Measured


def kept(batch=32, step="abc", gpu="NVIDIA H200", **sizes):
    measured = {"runs_bytes": 200, "fails_bytes": 190, **sizes}
    return Kept(step=step, batch_size=batch, driver="580", measured=Measured(gpu=gpu, **measured))


def test_what_is_kept_is_found_by_its_step(tmp_path):
    store = Store(tmp_path / "new" / "folder")
    for one in (kept(32), kept(64), kept(32, gpu="Tesla T4"), kept(32, step="other")):
        assert store.keep(one) == ()
    found, notes = store.of("abc")
    assert {(one.batch_size, one.measured.gpu) for one in found} == {
        (32, "NVIDIA H200"),
        (64, "NVIDIA H200"),
        (32, "Tesla T4"),
    }
    assert notes == ()
    assert not list(store.folder.glob("*.part"))


def test_a_newer_measurement_takes_the_place_of_the_older(tmp_path):
    store = Store(tmp_path)
    store.keep(kept())
    store.keep(kept(runs_bytes=500))
    (found,), _ = store.of("abc")
    assert found.measured.runs_bytes == 500


def test_spoilt_files_are_ignored_and_named(tmp_path):
    store = Store(tmp_path)
    store.keep(kept())
    (tmp_path / "abc-1-1.json").write_text('{"schema": "fitguard/measurement/1", "st')
    (tmp_path / "abc-2-1.json").write_text('{"schema": "fitguard/measurement/9", "step": "abc"}')
    (tmp_path / "abc-3-1.json").write_bytes(b"\xff\xfe\x00")
    store.keep(kept(16, fails_bytes=900))
    store.keep(kept(8, runs_bytes=-200, fails_bytes=None))
    found, notes = store.of("abc")
    assert [one.batch_size for one in found] == [32]
    assert len(notes) == 5
    assert "abc-1-1.json cannot be read; ignored." in notes[0]


def test_no_folder_is_nothing_known(tmp_path):
    assert Store(tmp_path / "absent").of("abc") == ([], ())


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    (note,) = Store(file / "folder").keep(kept())
    assert note.startswith("The measurement could not be kept for later plans (Not a directory")


def test_the_folder_is_where_the_user_has_caches():
    assert cache_folder({"XDG_CACHE_HOME": "/caches"}) == Path("/caches/fitguard/plans")
    assert cache_folder({"HOME": "/home/me"}) == Path("/home/me/.cache/fitguard/plans")
    relative = {"HOME": "/home/me", "XDG_CACHE_HOME": "caches"}
    assert cache_folder(relative) == Path("/home/me/.cache/fitguard/plans")
