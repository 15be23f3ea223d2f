"""Which files of a run belong into a copy, and what they hold."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from fitguard.fleet.storage.manifest import BESIDE, StoredFile, is_possible
from fitguard.monitor.regular_files import make_folder, open_regular
from fitguard.monitor.run_folder import RunFolder

_Signature = tuple[str, int, int, int]


class Digests:
    """Digests of files; what did not change is not read again.

    Args:
        tell: Told of the first file that no copy can have.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._known: dict[_Signature, str] = {}
        self._tell = tell
        self._has_told = False

    def list_files(self, copy: Path) -> Iterator[tuple[Path, StoredFile]]:
        """All regular files that a copy can have.

        Raises:
            OSError: where one cannot be read.
        """
        known, self._known = self._known, {}
        for path in sorted(copy.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            name = path.relative_to(copy).as_posix()
            if not is_possible(name):
                self._leave_out(name)
                continue
            with os.fdopen(open_regular(path), "rb") as file:
                status = os.fstat(file.fileno())
                key = (name, status.st_size, status.st_mtime_ns, status.st_ino)
                digest = known.get(key) or hashlib.file_digest(file, "sha256").hexdigest()
            self._known[key] = digest
            yield path, StoredFile(path=name, size_bytes=status.st_size, sha256=digest)

    def _leave_out(self, name: str) -> None:
        """What the training had in the way, and was kept aside, may be called anything."""
        if not self._has_told:
            self._has_told = True
            self._tell(
                f"{name[:99]!r} and files like it stay on this node: their names have a backslash, "
                "a control character or too many characters for the storage"
            )


def add_what_is_beside(folder: RunFolder, copy: Path) -> None:
    """Copy what only tells of the run. Nobody writes there any more.

    Raises:
        OSError: where that cannot be done.
    """
    for name in BESIDE:
        source = folder.path / name
        for path in (source, *sorted(source.rglob("*"))):
            if path.is_file() and not path.is_symlink():
                place = copy / path.relative_to(folder.path)
                make_folder(place.parent, copy)
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(path, place)
