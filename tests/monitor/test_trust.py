"""Run folders of others, and what one is told to do about them."""

import grp
import os
import pwd
import struct

import pytest

from fitguard.monitor.trust import TRUST_VARIABLE, require_safe_parent, require_trusted
from fitguard.schema.exit_codes import UnreadableInput

STRANGER = 54321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir(0o700)
    return folder


def test_what_is_ones_own_is_trusted(folder):
    require_trusted(folder)
    require_safe_parent(folder)
    folder.chmod(0o755)
    require_trusted(folder)
    require_trusted(folder / "that-is-not-there")


@needs_root
def test_a_folder_of_another_user(folder):
    os.chown(folder, STRANGER, -1)
    with pytest.raises(UnreadableInput, match=r"belongs to user 54321, and you are root \(user 0"):
        require_trusted(folder)
    with pytest.raises(UnreadableInput, match="--runs-folder"):
        require_safe_parent(folder)


@needs_root
def test_a_link_of_another_user(folder):
    link = folder.with_name("link")
    link.symlink_to(folder)
    os.chown(link, STRANGER, -1, follow_symlinks=False)
    with pytest.raises(UnreadableInput, match="belongs to user 54321"):
        require_trusted(link)


def test_a_folder_that_everybody_may_write_to(folder):
    folder.chmod(0o777)
    with pytest.raises(UnreadableInput, match=r"everybody may write to it \(chmod go-w .*run\)"):
        require_trusted(folder)
    folder.chmod(0o1777)
    require_safe_parent(folder)
    with pytest.raises(UnreadableInput, match="everybody may write to it"):
        require_trusted(folder)


@needs_root
def test_a_group_of_others_and_a_group_of_ones_own(folder):
    os.chown(folder, -1, STRANGER)
    folder.chmod(0o2770)
    with pytest.raises(UnreadableInput, match="group 54321 may write to it"):
        require_trusted(folder)
    user = pwd.getpwuid(os.geteuid())
    if set(grp.getgrgid(user.pw_gid).gr_mem) <= {user.pw_name}:
        os.chown(folder, -1, user.pw_gid)
        require_trusted(folder)


def test_an_access_list(folder):
    everything, nobody = 7, 0xFFFFFFFF
    # The owner, a named user, the group, the mask, all others.
    entries = ((1, nobody), (2, STRANGER), (4, nobody), (16, nobody), (32, nobody))
    rows = [struct.pack("<HHI", tag, everything * (tag != 32), who) for tag, who in entries]
    try:
        os.setxattr(folder, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(rows))
    except OSError as error:
        pytest.skip(f"this file system has no access lists: {error}")
    with pytest.raises(UnreadableInput, match="its access list lets others write to it"):
        require_trusted(folder)


def test_a_link_inside(folder):
    (folder / "snapshots").symlink_to("/tmp")
    with pytest.raises(UnreadableInput, match="snapshots in it is a link"):
        require_trusted(folder)


def test_who_trusts_a_folder_says_so(folder, monkeypatch):
    folder.chmod(0o777)
    require_trusted(folder, trust_folder=True)
    require_safe_parent(folder, trust_folder=True)
    with pytest.raises(UnreadableInput, match=f"--trust-folder or set {TRUST_VARIABLE}=1"):
        require_trusted(folder)
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    require_trusted(folder)
    monkeypatch.setenv(TRUST_VARIABLE, "0")
    with pytest.raises(UnreadableInput):
        require_safe_parent(folder)
