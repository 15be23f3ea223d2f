"""Files made what they were at a moment; what stands there now is kept aside first."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping

from fitguard.keras.world.aside import Aside
from fitguard.keras.world.contents import Contents, NotKept, digest_at
from fitguard.keras.world.manifest import Entry, status_of
from fitguard.keras.world.open_files import OpenFiles, move_to_end

Signature = tuple[int, int, int, int]


def signature(status: os.stat_result) -> Signature:
    """What changes when a file does."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


class PuttingBack:
    """Does it, file by file.

    Args:
        counts: Whether a path is the training's business: a snapshot may come from elsewhere, and
            others may have had it there.

    Attributes:
        changed: Paths that were not as they should be, and are now.
    """

    def __init__(
        self,
        contents: Contents,
        aside: Aside,
        open_files: OpenFiles,
        counts: Callable[[str], bool],
    ) -> None:
        self.changed: list[str] = []
        self._contents = contents
        self._aside = aside
        self._open = open_files
        self._counts = counts

    def set_aside(self, paths: Iterable[str]) -> list[str]:
        """Take away what was made later; why one is still there."""
        lost = []
        for path in paths:
            try:
                self._aside.move(path)
                self.changed.append(path)
            except NotKept as why:
                lost.append(f"{path}, which was written later, is still there: {why}")
        return lost

    def put_back(self, files: Mapping[str, Entry]) -> list[str]:
        """Give files the content they had; why one has another."""
        lost = []
        for path, entry in files.items():
            try:
                if self._put(path, entry):
                    self.changed.append(path)
            except (NotKept, OSError) as error:
                why = error.strerror if isinstance(error, OSError) else None
                lost.append(f"{path} is not as it was at that moment: {why or error}")
        return lost

    def _put(self, path: str, entry: Entry) -> bool:
        """Whether there was anything to do."""
        status = status_of(path)
        if status is None and os.path.lexists(path):
            raise NotKept("it is no regular file any more")
        if status is not None and (entry.kind == "given" or self._is_same(path, status, entry)):
            return False
        if not self._counts(path):
            raise NotKept("it is hidden, or belongs to the system or to Python")
        if entry.digest not in self._contents:
            raise NotKept("its content was not kept")
        before = status_of(path)
        if before is not None and before.st_size and digest_at(path) not in self._contents:
            self._aside.copy(path)
        self._contents.put(entry.digest, path, entry.mode)
        if before is not None:
            move_to_end((before.st_dev, before.st_ino), before.st_size, entry.size)
        with contextlib.suppress(OSError):
            os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))
        return True

    def _is_same(self, path: str, status: os.stat_result, entry: Entry) -> bool:
        # What the top of the script has written, and Python holds back, belongs to what is there.
        self._open.flush({(status.st_dev, status.st_ino)})
        size = os.lstat(path).st_size
        if entry.kind == "held":
            return size >= entry.size
        if not entry.digest:
            # Nobody knows what was in it: its length must do.
            return size == entry.size
        return size == entry.size and digest_at(path) == entry.digest
