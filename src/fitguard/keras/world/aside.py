"""What stands in the way of what is put back is not lost: it goes aside, into the run folder."""

import errno
import os
import shutil
from pathlib import Path

from fitguard.keras.world.contents import FILE_BYTES, NotKept, require_room
from fitguard.monitor.flushing import sync_file, sync_folder
from fitguard.monitor.regular_files import make_folder, open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.words import size


class Aside:
    """The folder for one attempt.

    Args:
        run: The run folder.
        home: Paths below it keep their names.
    """

    def __init__(self, run: RunFolder, attempt: int, home: str) -> None:
        self.folder = run.files / "aside" / f"attempt-{attempt}"
        self._run = run.path
        self._home = home

    def move(self, path: str) -> Path:
        """Take a file away; where to.

        Raises:
            NotKept: where it cannot be kept; then it stays.
        """
        try:
            try:
                place = self._place(path)
                os.rename(path, place)
                sync_folder(place.parent)
                sync_folder(Path(path).parent)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                place = self.copy(path)
                os.unlink(path)
            return place
        except OSError as error:
            raise NotKept(error.strerror or str(error)) from error

    def copy(self, path: str, start: int = 0) -> Path:
        """Keep what a file holds now, from an offset on; where.

        Raises:
            NotKept: where that is too much, or the disk is full.
        """
        try:
            target = self._place(path)
            length = os.lstat(path).st_size - start
            if length > FILE_BYTES:
                raise NotKept(
                    f"what stands there now has {size(length)}, too much to be kept aside"
                )
            require_room(target.parent, length)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(path, "rb") as old, os.fdopen(open_regular(target, flags), "wb") as new:
                old.seek(start)
                shutil.copyfileobj(old, new)
                new.flush()
                sync_file(new.fileno())
            sync_folder(target.parent)
            return target
        except OSError as error:
            raise NotKept(error.strerror or str(error)) from error

    def _place(self, path: str) -> Path:
        below = os.path.relpath(path, self._home)
        if below.startswith(".."):
            below = f"outside{path}"
        target = self.folder / below
        make_folder(target.parent, self._run)
        number = 1
        while target.exists():
            number += 1
            target = self.folder / f"{below}.{number}"
        return target
