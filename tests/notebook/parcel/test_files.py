import subprocess
import sys

import pytest

from fitguard.notebook.parcel.files import HeldFolder, ParcelFiles, remove_left_behind


def test_large_files_go_into_memory_where_there_is_room(tmp_path):
    memory = tmp_path / "memory"
    memory.mkdir()
    files = ParcelFiles(tmp_path / "small", memory)
    path = files.new(".npy", 1000)
    path.write_bytes(bytes(1000))
    assert memory in path.parents
    files.remove()
    assert not list(memory.iterdir())
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize("memory", ["missing", None])
def test_else_they_go_beside_the_others(memory, tmp_path):
    files = ParcelFiles(tmp_path / "small", tmp_path / memory if memory else None)
    assert files.new(".npy", 1000).parent == tmp_path / "small"


def test_more_than_there_is_room_for_goes_beside_the_others(tmp_path):
    files = ParcelFiles(tmp_path / "small", tmp_path)
    assert files.new(".npy", 2**60).parent == tmp_path / "small"


DIES = """
import os, sys, pathlib
from fitguard.notebook.parcel.files import HeldFolder
folder = HeldFolder(pathlib.Path(sys.argv[1]))
(folder.path / "1.npy").write_bytes(b"data")
os.kill(os.getpid(), 9)
"""


def test_what_a_dead_process_held_is_removed_and_what_a_living_one_holds_is_not(tmp_path):
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], timeout=300, check=False)
    held = HeldFolder(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert remove_left_behind(tmp_path) == 1
    assert list(tmp_path.iterdir()) == [held.path]
