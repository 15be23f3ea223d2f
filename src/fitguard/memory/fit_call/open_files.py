"""Files that are open for writing: what goes into them meanwhile goes into copies."""

import contextlib
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

MOST_BYTES = 64 << 20
"""A larger file is not copied: the script cannot go on."""
_STREAMS = 3
_WRITTEN_MAP = re.compile(r"rw-s \S+ \S+ [1-9]\d* +(/.+)$", re.MULTILINE)


class OpenFiles(NamedTuple):
    """Files that this process can write to without opening them.

    Args:
        descriptors: Each with the file that it leads to.
        maps: Files whose memory is shared.
    """

    descriptors: frozenset[tuple[int, Path]]
    maps: frozenset[Path]


def list_open_files() -> OpenFiles:
    """Those that are there now."""
    described = ((one, _path_of(one)) for one in _find_written_descriptors())
    return OpenFiles(frozenset(described), frozenset(_find_mapped_files()))


@contextlib.contextmanager
def copying_open_files(
    folder: Path, before: OpenFiles, refuse: Callable[[str], Any]
) -> Iterator[None]:
    """Meanwhile descriptors of files that can be written to lead to copies.

    Args:
        folder: For the copies.
        before: What was open before the script began: it is none of the script's.
        refuse: Is told what stands in the way, and raises.
    """
    now = list_open_files()
    for path in now.maps - before.maps:
        refuse(f"it has {path.name} mapped into memory for writing")
    with contextlib.ExitStack() as stack:
        for descriptor, path in now.descriptors - before.descriptors:
            if os.fstat(descriptor).st_size > MOST_BYTES:
                refuse(f"it has {path.name} open for writing")
            stack.callback(_lead_back, descriptor, _lead_aside(descriptor, folder))
        yield


def _lead_aside(descriptor: int, folder: Path) -> int:
    """Let it lead to a copy; a descriptor of the file itself."""
    copy = folder / f"open-{descriptor}"
    shutil.copyfile(f"/proc/self/fd/{descriptor}", copy)
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    opened = os.open(copy, os.O_RDWR | (flags & os.O_APPEND))
    os.lseek(opened, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
    kept = os.dup(descriptor)
    os.dup2(opened, descriptor, os.get_inheritable(descriptor))
    os.close(opened)
    return kept


def _lead_back(descriptor: int, kept: int) -> None:
    os.dup2(kept, descriptor, os.get_inheritable(descriptor))
    os.close(kept)


def _find_written_descriptors() -> Iterator[int]:
    """Those of files with a name, but for the streams that Python itself prints to."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 (no descriptor more than needed)
        descriptor = int(name)
        try:
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        except OSError:  # that of the listing itself
            continue
        writes = flags & os.O_ACCMODE in (os.O_WRONLY, os.O_RDWR)
        if descriptor >= _STREAMS and writes and is_file and _path_of(descriptor).exists():
            yield descriptor


def _path_of(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def _find_mapped_files() -> list[Path]:
    """Files whose memory is shared: what is written there cannot be led aside."""
    maps = Path("/proc/self/maps").read_text("utf-8", "replace")
    paths = (Path(path) for path in dict.fromkeys(_WRITTEN_MAP.findall(maps)))
    return [path for path in paths if path.is_file() and not path.is_relative_to("/dev")]
