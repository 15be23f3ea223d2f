"""Files that are open for writing: what goes into them meanwhile goes into copies."""

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

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
    described = ((one, _path_of(one)) for one in _written_descriptors())
    return OpenFiles(frozenset(described), frozenset(_mapped_files()))


class CopiedFiles:
    """While it is entered, descriptors of files that can be written to lead to copies.

    Args:
        folder: For the copies.
        before: What was open before the script began: it is none of the script's.
        refuse: Is told what stands in the way, and raises.
    """

    def __init__(self, folder: Path, before: OpenFiles, refuse: Callable[[str], Any]) -> None:
        self._folder = folder
        self._before = before
        self._refuse = refuse
        self._kept: dict[int, int] = {}

    def __enter__(self) -> Self:
        now = list_open_files()
        for path in now.maps - self._before.maps:
            self._refuse(f"it has {path.name} mapped into memory for writing")
        for descriptor, path in now.descriptors - self._before.descriptors:
            if os.fstat(descriptor).st_size > MOST_BYTES:
                self._refuse(f"it has {path.name} open for writing")
            self._lead_aside(descriptor)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for descriptor, kept in self._kept.items():
            os.dup2(kept, descriptor, os.get_inheritable(descriptor))
            os.close(kept)

    def _lead_aside(self, descriptor: int) -> None:
        copy = self._folder / f"open-{descriptor}"
        shutil.copyfile(f"/proc/self/fd/{descriptor}", copy)
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        opened = os.open(copy, os.O_RDWR | (flags & os.O_APPEND))
        os.lseek(opened, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
        self._kept[descriptor] = os.dup(descriptor)
        os.dup2(opened, descriptor, os.get_inheritable(descriptor))
        os.close(opened)


def _written_descriptors() -> Iterator[int]:
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


def _mapped_files() -> list[Path]:
    """Files whose memory is shared: what is written there cannot be led aside."""
    maps = Path("/proc/self/maps").read_text("utf-8", "replace")
    paths = (Path(path) for path in dict.fromkeys(_WRITTEN_MAP.findall(maps)))
    return [path for path in paths if path.is_file() and not path.is_relative_to("/dev")]
