"""Whether a run folder can be trusted: what lies in it is obeyed when the run goes on.

Its journal names the command, its orders set variables, its files are put back. Who else can write
there could have written all of that.
"""

import grp
import os
import pwd
import stat
from pathlib import Path

from fitguard.schema.exit_codes import UnreadableInput

TRUST_VARIABLE = "FITGUARD_TRUST_FOLDER"
_INNER = ("snapshots", "files", "files/kept", "files/aside", "handed")
_ROOT = 0


def require_trusted(folder: Path, *, trust_folder: bool = False) -> None:
    """Make sure that nobody else has written in a run folder.

    Args:
        trust_folder: The user says that it is all right.

    Raises:
        UnreadableInput: where others own it or may write to it, with what to do.
    """
    if trust_folder or _trusts_all():
        return
    if problem := find_distrust(folder) or _find_inner_link(folder):
        raise UnreadableInput(
            f"{folder}: {problem}. A run folder tells fitguard what to execute. {_ADVICE}"
        )


_ADVICE = (
    "Expected a folder of yours that only you can write to. If you trust everybody who can write "
    f"there, pass --trust-folder or set {TRUST_VARIABLE}=1; you need this where the file system "
    "shows other owners or rights than it keeps (containers with another user, NFS, Windows drives)"
)


def require_safe_parent(folder: Path, *, trust_folder: bool = False) -> None:
    """Make sure that nobody else can put another folder in the place of a run's.

    Raises:
        UnreadableInput: where others own the folder of all runs or may write to it.
    """
    if trust_folder or _trusts_all():
        return
    if problem := find_distrust(folder, sticky_is_enough=True):
        raise UnreadableInput(
            f"{folder}: {problem}. They could put another run in the place of yours. Choose a "
            f"folder of your own with --runs-folder. {_ADVICE}"
        )


def _trusts_all() -> bool:
    return os.environ.get(TRUST_VARIABLE, "") not in ("", "0")


def find_distrust(folder: Path, *, sticky_is_enough: bool = False) -> str:
    """Why a folder cannot be trusted; empty where it can, or where there is none.

    Args:
        sticky_is_enough: Others may add to the folder if they cannot rename what is not theirs.
    """
    try:
        found = [folder.lstat(), folder.stat()]
    except OSError:
        return ""
    own = {os.geteuid(), _ROOT}
    if strangers := [one.st_uid for one in found if one.st_uid not in own]:
        return f"it belongs to {_name_user(strangers[0])}, and you are {_name_user(os.geteuid())}"
    status = found[-1]
    if sticky_is_enough and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return f"everybody may write to it (chmod go-w {folder})"
    if status.st_mode & stat.S_IWGRP and _has_access_list(folder):
        return f"its access list lets others write to it (setfacl -b {folder})"
    if status.st_mode & stat.S_IWGRP and not _is_alone_in(status.st_gid):
        return f"{_name_group(status.st_gid)} may write to it (chmod go-w {folder})"
    return ""


def _find_inner_link(folder: Path) -> str:
    links = [name for name in _INNER if (folder / name).is_symlink()]
    return f"{links[0]} in it is a link, which fitguard never makes" if links else ""


def _has_access_list(folder: Path) -> bool:
    """Whether users are named who may write; then the bits of the group speak of them, too."""
    try:
        return bool(os.getxattr(folder, "system.posix_acl_access"))
    except OSError:
        return False


def _is_alone_in(group: int) -> bool:
    """Whether a group is that of one user, as Debian and others make one for each."""
    try:
        known, user = grp.getgrgid(group), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    mine = known.gr_name == user.pw_name and user.pw_gid == group
    return mine and set(known.gr_mem) <= {user.pw_name}


def _name_user(number: int) -> str:
    try:
        return f"{pwd.getpwuid(number).pw_name} (user {number})"
    except KeyError:
        return f"user {number}"


def _name_group(number: int) -> str:
    try:
        return f"group {grp.getgrgid(number).gr_name}"
    except KeyError:
        return f"group {number}"
