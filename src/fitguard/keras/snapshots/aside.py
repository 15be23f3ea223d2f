"""Snapshots that are not used, and not removed either.

    aside/fit00002-after-0000000009-0000000017/    fit 2 and all after it, of another script
    aside/fit00002-alone-0000000017/               fit 2 alone: threads began in another order
    aside/torn/                                    the newest few that are not whole
    aside/beyond-0000000017/                       further on than the start that workers agreed on

`after` is the counter of the end that fit 2 began from: only behind that end it is the same
training. The last number is the highest counter inside. While a group is being moved, its name ends
with `.part`: all that such a folder holds belongs into the folder of the run. What lies in `beyond`
is never brought back by fitguard: a worker must not have more than the others. You can do so, where
the folder of another worker was lost and is there again.
"""

import contextlib
import re
from pathlib import Path

from fitguard.monitor.flushing import sync_folder
from fitguard.monitor.regular_files import make_folder
from fitguard.monitor.snapshot_names import NamedSnapshot, list_snapshots

MOST_TORN = 3
MOST_BEYOND = 3
"""Folders: those that are furthest on."""
_MOVING = ".part"
_GROUP = re.compile(r"fit(\d+)-(?:after-(\d+)|(alone))-(\d+)")


class Aside:
    """What was set aside in one run.

    Args:
        folder: Of its snapshots.

    Attributes:
        path: The folder inside of it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "aside"
        self._folder = folder
        self._refused: set[Path] = set()
        for unfinished in self.path.glob(f"*{_MOVING}"):
            self._empty(unfinished)

    def take(self, files: list[NamedSnapshot], fit: int, after: int | None) -> Path:
        """Move snapshots here, for good or until `give_back`; where they lie now.

        This process has no use for them: it does not get them back.

        Args:
            after: Counter of the end before them; None for one `fit` alone.

        Raises:
            OSError: where they cannot be moved. Then all are where they were.
        """
        since = "alone" if after is None else f"after-{after:010d}"
        highest = max(file.counter for file in files)
        group = self.path / f"fit{fit:05d}-{since}-{highest:010d}"
        moving = group.with_name(group.name + _MOVING)
        make_folder(moving, self._folder)
        try:
            for file in files:
                file.path.rename(moving / file.path.name)
            moving.rename(group)
        except OSError:
            self._empty(moving)
            raise
        self._refused.add(group)
        return group

    def give_back(self, fit: int, after: int) -> bool:
        """Bring the newest group of a `fit` back that this process has not set aside itself."""
        for group in self._list_groups(fit, after):
            moving = group.with_name(group.name + _MOVING)
            with contextlib.suppress(OSError):
                group.rename(moving)
                self._empty(moving)
                return True
        return False

    def keep_torn(self, file: Path) -> Path:
        """Move a broken one here; where it lies now.

        Raises:
            OSError: where that cannot be done.
        """
        torn = self.path / "torn"
        make_folder(torn, self._folder)
        return file.rename(torn / file.name)

    def list_old_torn(self) -> list[Path]:
        """The broken ones but for the newest few."""
        torn = list_snapshots(self.path / "torn")
        by_time = sorted(torn, key=lambda one: one.counter, reverse=True)
        return [one.path for one in by_time[MOST_TORN:]]

    def put_beyond(self, files: list[NamedSnapshot]) -> Path:
        """Move snapshots here that the other workers do not have; where they lie now.

        Raises:
            OSError: where they cannot be moved. Some may have been.
        """
        highest = max(file.counter for file in files)
        group = self.path / f"beyond-{highest:010d}"
        make_folder(group, self._folder)
        for file in files:
            file.path.rename(group / file.path.name)
        sync_folder(group)
        sync_folder(self._folder)
        return group

    def list_old_beyond(self) -> list[Path]:
        """What other workers do not have, but for what is furthest on."""
        groups = [list_snapshots(group) for group in self.path.glob("beyond-*")]
        by_order = sorted(filter(None, groups), key=lambda files: files[0].order, reverse=True)
        return [file.path for files in by_order[MOST_BEYOND:] for file in files]

    def list_beyond(self) -> list[NamedSnapshot]:
        """All that other workers do not have."""
        return [file for group in self.path.glob("beyond-*") for file in list_snapshots(group)]

    def list_all(self) -> list[NamedSnapshot]:
        """All that lie here, torn ones too."""
        return [file for folder in self.path.glob("*") for file in list_snapshots(folder)]

    def list_grouped(self) -> list[NamedSnapshot]:
        """Those that a script may find again."""
        groups = [*self.path.glob("fit*"), *self.path.glob("beyond-*")]
        return [file for group in groups for file in list_snapshots(group)]

    def list_ends_needed(self) -> set[int]:
        """Counters of the ends behind which a group is found again."""
        found = (_GROUP.fullmatch(group.name) for group in self.path.glob("fit*"))
        return {int(match[2]) for match in found if match is not None and match[2]}

    def _list_groups(self, fit: int, after: int) -> list[Path]:
        """The newest first."""
        found = []
        for group in self.path.glob("fit*"):
            match = _GROUP.fullmatch(group.name)
            if match is None or group in self._refused or int(match[1]) != fit:
                continue
            if match[3] or int(match[2]) == after:
                found.append((int(match[4]), group))
        return [group for _, group in sorted(found, reverse=True)]

    def _empty(self, moving: Path) -> None:
        """Move what a folder holds to where it came from."""
        for file in moving.glob("*"):
            with contextlib.suppress(OSError):
                file.rename(self._folder / file.name)
        with contextlib.suppress(OSError):
            # Or a power cut could take the folder, and not the moves out of it.
            sync_folder(self._folder)
            sync_folder(moving)
            moving.rmdir()
