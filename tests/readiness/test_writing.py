"""Callbacks whose files cannot be made."""

import os

import keras
import pytest

from fitguard.readiness.writing import find_unwritable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    return tmp_path


@pytest.mark.parametrize(
    "make",
    [
        lambda: keras.callbacks.ModelCheckpoint("taken/{epoch}/best.keras"),
        lambda: keras.callbacks.CSVLogger("taken/log.csv"),
        lambda: keras.callbacks.TensorBoard("taken/logs"),
        lambda: keras.callbacks.BackupAndRestore("taken/backup"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_folder_that_is_a_file(make):
    callback = make()
    [told] = find_unwritable([keras.callbacks.EarlyStopping(), callback])
    assert told.startswith(f"{type(callback).__name__} cannot write to taken/")
    assert "taken is a file, and no folder\nGive it another path" in told
    assert list(find_unwritable(callback)) == [told]


@pytest.mark.usefixtures("folder")
def test_what_can_be_made_or_lies_elsewhere():
    fine = ("new/{epoch:02d}.keras", "best.keras", "gs://bucket/{epoch}.keras", "taken")
    callbacks = [keras.callbacks.ModelCheckpoint(path, save_freq=5) for path in fine[:3]]
    assert list(find_unwritable([*callbacks, keras.callbacks.CSVLogger("taken")])) == []
    assert list(find_unwritable(None)) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_yours(folder):
    (folder / "theirs").mkdir(mode=0o500)
    [told] = find_unwritable([keras.callbacks.CSVLogger("theirs/log.csv")])
    assert f"you may not write to {folder / 'theirs'}" in told
