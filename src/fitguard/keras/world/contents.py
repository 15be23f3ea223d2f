"""Contents of files, kept in the run folder under their digest.

files/kept/<digest>          what a snapshot may need
files/kept/<digest>.part     the same, before `flush`
files/aside/attempt-2/…      what stood where something was put back
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fitguard.monitor.flushing import sync_file, sync_folder
from fitguard.monitor.regular_files import make_folder
from fitguard.words import size

FILE_BYTES = 256 << 20
ALL_BYTES = 1 << 30
FREE_SHARE = 0.1
_CHUNK_BYTES = 4 << 20
_TIDY_BYTES = 128 << 20
"""So much may be there that nobody needs, before somebody looks."""


_UNNAMED = ".part"
"""How contents end that may not be on the disk."""


class NotKept(Exception):
    """Why the content of a file is not kept: part of a sentence."""


class Contents:
    """The store of one run.

    Args:
        needed: The digests that snapshots name; asked when it is time to tidy.
        file_bytes: What a single file may have, `all_bytes` all of them together.
    """

    def __init__(
        self,
        folder: Path,
        needed: Callable[[], Iterable[str]],
        *,
        file_bytes: int = FILE_BYTES,
        all_bytes: int = ALL_BYTES,
    ) -> None:
        self.file_bytes = file_bytes
        self._all_bytes = all_bytes
        self._kept = folder
        self._needed = needed
        self._sizes: dict[str, int] = {}
        self._unnamed: set[str] = set()
        with contextlib.suppress(OSError):
            for entry in os.scandir(self._kept):
                if entry.name.endswith(_UNNAMED):
                    os.unlink(entry.path)
                else:
                    self._sizes[entry.name] = entry.stat().st_size
        self._tidy_at = self._total() + _TIDY_BYTES

    def __contains__(self, digest: str) -> bool:
        return digest in self._sizes

    def keep(self, path: str) -> str:
        """Keep what a file holds; its digest.

        Raises:
            NotKept: where it is too large, cannot be read, or changes meanwhile.
        """
        try:
            with _opening(path) as file:
                before = os.fstat(file)
                if before.st_size > self.file_bytes:
                    most = size(self.file_bytes)
                    raise NotKept(f"it has {size(before.st_size)}, more than the {most} of a file")
                digest = digest_of(file)
                is_new = digest not in self._sizes
                if is_new:
                    self._take(file, before.st_size, digest)
                after = os.fstat(file)
        except OSError as error:
            raise NotKept(error.strerror or str(error)) from error
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            if is_new:
                self._drop(digest)
            raise NotKept("it was being written at that moment")
        return digest

    def flush(self) -> None:
        """Give what was kept its name, once it is on the disk: a snapshot will rely on it.

        Raises:
            OSError: where the disk fails; what could not be written counts as not kept.
        """
        if not self._unnamed:
            return
        while self._unnamed:
            digest = self._unnamed.pop()
            temporary = self._kept / f"{digest}{_UNNAMED}"
            try:
                with _opening(str(temporary)) as file:
                    sync_file(file)
                temporary.replace(self._kept / digest)
            except OSError:
                self._drop(digest)
                raise
        sync_folder(self._kept)

    def put(self, digest: str, path: str, mode: int) -> None:
        """Write a content into a file, which stays the file that others may hold open.

        Raises:
            OSError: where that cannot be done; also for a content that is not whole.
        """
        with _opening(str(self._kept / digest)) as source:
            if digest_of(source) != digest:
                raise OSError("the copy in the run folder is damaged")
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT
            with _opening(path, flags, mode) as target:
                os.ftruncate(target, 0)
                _copy(source, target, os.fstat(source).st_size)
                sync_file(target)
            sync_folder(Path(path).parent)

    def tidy(self) -> None:
        """Remove what no snapshot needs."""
        needed = set(self._needed())
        for digest in self._sizes.keys() - needed:
            with contextlib.suppress(OSError):
                (self._kept / digest).unlink()
            self._drop(digest)
        self._tidy_at = self._total() + _TIDY_BYTES

    def _take(self, file: int, length: int, digest: str) -> None:
        total = self._total() + length
        if total > min(self._tidy_at, self._all_bytes):
            self.tidy()
            total = self._total() + length
        if total > self._all_bytes:
            raise NotKept(f"{size(self._all_bytes)} of files are kept already, which is the most")
        make_folder(self._kept, self._kept.parents[1])
        require_room(self._kept, length)
        temporary = self._kept / f"{digest}{_UNNAMED}"
        try:
            with _opening(str(temporary), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as target:
                _copy(file, target, length)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        self._sizes[digest] = length
        self._unnamed.add(digest)

    def _drop(self, digest: str) -> None:
        self._sizes.pop(digest, None)
        self._unnamed.discard(digest)
        with contextlib.suppress(OSError):
            os.unlink(self._kept / f"{digest}{_UNNAMED}")

    def _total(self) -> int:
        return sum(self._sizes.values())


def digest_of(file: int) -> str:
    """Of all that an open file holds."""
    digest, offset = hashlib.sha256(), 0
    while chunk := os.pread(file, _CHUNK_BYTES, offset):
        digest.update(chunk)
        offset += len(chunk)
    return digest.hexdigest()


def require_room(folder: Path, length: int) -> None:
    """A copy shall not fill the disk of a training.

    Raises:
        NotKept: where it would take more than its share of what is free.
    """
    free = shutil.disk_usage(folder).free
    if length > free * FREE_SHARE:
        raise NotKept(f"only {size(free)} of the disk are free")


def digest_at(path: str) -> str:
    """Likewise of a path."""
    with _opening(path) as file:
        return digest_of(file)


@contextlib.contextmanager
def _opening(
    path: str, flags: int = os.O_RDONLY | os.O_NONBLOCK, mode: int = 0o600
) -> Iterator[int]:
    """A file's number; links are not followed, and nothing is waited for."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        yield file
    finally:
        os.close(file)


def _copy(source: int, target: int, length: int) -> None:
    """From the beginning, inside of the kernel."""
    offset = 0
    while offset < length:
        count = os.sendfile(target, source, offset, min(length - offset, _CHUNK_BYTES))
        if not count:
            raise OSError("it became shorter meanwhile")
        offset += count
