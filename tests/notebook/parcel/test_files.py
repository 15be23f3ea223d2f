import os
import subprocess
import sys

import pytest

from fitguard.notebook.parcel.files import HeldFolder, ParcelFiles, remove_left_behind
from fitguard.schema.exit_codes import UnreadableInput


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


def test_files_are_the_users_alone(tmp_path):
    files = ParcelFiles(tmp_path / "made", memory=None)
    with files.create(files.content) as stream:
        stream.write(b"content")
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700
    assert files.content.stat().st_mode & 0o777 == 0o600
    with files.open(files.content) as stream:
        assert stream.read() == b"content"
    with pytest.raises(FileExistsError):
        files.create(files.content)


def a_folder_that_others_can_write_to(content):
    content.parent.chmod(0o770)


def a_file_that_others_can_write_to(content):
    content.chmod(0o666)


def a_link(content):
    content.rename(content.with_suffix(".real"))
    content.symlink_to(content.with_suffix(".real"))


def of_another_user(content):
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(content.parent, 65534, -1)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (a_folder_that_others_can_write_to, r"others can write to it \(mode 770\)"),
        (a_file_that_others_can_write_to, r"others can write to it \(mode 666\)"),
        (a_link, "it is a link"),
        (of_another_user, r"it belongs to another user \(65534\)"),
    ],
)
def test_what_another_user_could_have_written_is_not_read(spoil, told, tmp_path):
    files = ParcelFiles(tmp_path / "made", memory=None)
    files.create(files.content).close()
    spoil(files.content)
    with pytest.raises(UnreadableInput, match=told):
        files.open(files.content)
