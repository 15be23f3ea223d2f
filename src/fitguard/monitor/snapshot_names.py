"""The names of snapshots: all that a parent may know of them without reading them.

    fit00002-step00000000120-0000000017.snapshot    while fit 2 trains
    fit00001-end-0000000009.snapshot                fit 1 has ended

The last number counts all snapshots of the run.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from fitguard.schema.gang import SavedPlace

SUFFIX = ".snapshot"
_NAME = re.compile(r"fit(\d{1,12})-(?:step(\d{1,18})|(end))-(\d{1,18})\.snapshot")


@dataclass(frozen=True)
class NamedSnapshot:
    """One file.

    Args:
        steps: Of the fit that are in it; 0 for an end, where the name does not tell.
        counter: The higher, the later it was written.
    """

    path: Path
    fit: int
    end: bool
    steps: int
    counter: int

    @property
    def place(self) -> SavedPlace:
        """Where it was taken."""
        return SavedPlace(self.fit, self.steps, self.end)

    @property
    def order(self) -> tuple[int, bool, int, int]:
        """The higher, the further on it is."""
        return (*self.place.order, self.counter)


def name_snapshot(fit: int, steps: int, counter: int, *, end: bool) -> str:
    """What the file of a snapshot is called."""
    return f"fit{fit:05d}-{'end' if end else f'step{steps:011d}'}-{counter:010d}{SUFFIX}"


def list_snapshots(folder: Path) -> list[NamedSnapshot]:
    """Those that lie in a folder, the furthest on first; only files, no links."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        match = _NAME.fullmatch(path.name)
        if match and path.is_file() and not path.is_symlink():
            fit, steps, end, counter = match.groups()
            found.append(
                NamedSnapshot(path, int(fit), end is not None, int(steps or 0), int(counter))
            )
    return sorted(found, key=lambda file: file.order, reverse=True)
