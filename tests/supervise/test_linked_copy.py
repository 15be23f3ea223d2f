"""The folder of a run as it is at one moment."""

import errno

import pytest

from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.linked_copy import linking_run


def test_snapshots_that_change_too_fast_are_not_taken_for_none(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "a")
    folder.snapshots.mkdir(parents=True)
    looks = iter(range(99))

    def list_another(tree):
        if tree != folder.snapshots:
            return []
        newest = tree / f"{next(looks)}.snapshot"
        newest.touch()
        return [newest]

    monkeypatch.setattr("fitguard.supervise.linked_copy._list_files", list_another)
    copy = folder.handed / "a"
    folder.handed.mkdir()
    with (
        pytest.raises(OSError, match="changed while they were linked") as refused,
        linking_run(folder, copy),
    ):
        pass
    assert refused.value.errno == errno.EAGAIN
    assert not copy.exists()
