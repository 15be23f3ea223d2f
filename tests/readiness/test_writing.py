"""Callbacks whose files cannot be made."""

import os
from pathlib import Path

import keras
import pytest

from fitguard.readiness.writing import find_unwritable

callbacks = keras.callbacks


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    return tmp_path


@pytest.mark.parametrize(
    "make",
    [
        lambda: callbacks.ModelCheckpoint("taken/{epoch}/best.keras"),
        lambda: callbacks.CSVLogger("taken/log.csv"),
        lambda: callbacks.TensorBoard("taken/logs"),
        lambda: callbacks.BackupAndRestore("taken/backup"),
        lambda: callbacks.TensorBoard("taken"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_folder_that_is_a_file(make):
    callback = make()
    [told] = find_unwritable([callbacks.EarlyStopping(), callback])
    assert told.startswith(f"{type(callback).__name__} cannot write to taken")
    assert "taken is a file, and no folder\nGive it another path" in told


def test_a_file_that_is_a_folder(folder):
    (folder / "logs").mkdir()
    [told] = find_unwritable([callbacks.CSVLogger("logs")])
    assert "logs is a folder, and no file\n" in told


def test_what_can_be_made_or_lies_elsewhere(folder):
    (folder / "there").mkdir()
    before = folder.stat().st_mtime_ns
    fine = [
        *map(callbacks.ModelCheckpoint, ("new/{epoch:02d}.keras", "best.keras", "gs://a/b.keras")),
        *map(callbacks.CSVLogger, ("taken", "new.csv", "there/new.csv", "gs://bucket/log.csv")),
        callbacks.TensorBoard("runs/1"),
        callbacks.TensorBoard("there"),
    ]
    assert list(find_unwritable(fine)) == []
    assert sorted(path.name for path in folder.rglob("*")) == ["taken", "there"]
    assert folder.stat().st_mtime_ns == before


@pytest.mark.parametrize("path", ["nosuch/log.csv", "/nonexistent/log.csv"])
@pytest.mark.usefixtures("folder")
def test_csvlogger_makes_no_folder(path):
    place = Path(path).parent
    # Neither does a checkpoint, before the first epoch is over.
    [told] = find_unwritable([callbacks.CSVLogger(path), callbacks.ModelCheckpoint("nosuch/a.h5")])
    assert told == (
        f"CSVLogger cannot write to {path}: there is no folder {place}, and it makes none\n"
        f"Make it in your script, before fit: os.makedirs({str(place)!r}, exist_ok=True)"
    )


class MakesFolder(callbacks.Callback):
    """May do anything when training begins."""


@pytest.mark.parametrize("other", [lambda: callbacks.TensorBoard("out/log"), MakesFolder])
def test_another_callback_may_make_the_folder_in_time(folder, other):
    logger = callbacks.CSVLogger(folder / "out/log.csv")
    assert list(find_unwritable([logger, other()])) == []
    assert (
        len(list(find_unwritable([logger, callbacks.TensorBoard("out", write_graph=False)]))) == 1
    )


@pytest.mark.usefixtures("folder")
def test_keras_2_opens_the_log_after_the_first_epoch():
    from tf_keras.callbacks import CSVLogger, ModelCheckpoint

    both = [ModelCheckpoint("out/best.keras"), CSVLogger("out/log.csv")]
    assert list(find_unwritable(both)) == []
    assert len(list(find_unwritable(both[::-1]))) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no such file system here")
@pytest.mark.parametrize(
    ("make", "root"),
    [
        (lambda: callbacks.ModelCheckpoint("/proc/nope/best.keras"), "/proc"),
        (lambda: callbacks.TensorBoard("/sys/tb"), "/sys"),
        (lambda: callbacks.BackupAndRestore("/sys/kernel/backup"), "/sys/kernel"),
        (lambda: callbacks.CSVLogger("/proc/log.csv"), "/proc"),
    ],
)
def test_file_systems_that_take_no_files_even_from_root(make, root):
    [told] = find_unwritable([make()])
    why = told.splitlines()[0].partition(": ")[2]
    assert why.startswith((f"you may not write to {root}", f"{root} takes no files"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_yours(folder):
    (folder / "theirs").mkdir(mode=0o500)
    [told] = find_unwritable([callbacks.CSVLogger("theirs/log.csv")])
    assert f"you may not write to {folder / 'theirs'}" in told
