"""How much of the disk the snapshots of a run may take."""

import contextlib
import errno
import shutil
from collections.abc import Callable
from pathlib import Path

from fitguard.words import size

FREE_SHARE = 0.5
"""Of what is free when an attempt begins, where the user gave no size."""
NEAR = 0.8


class Budget:
    """The disk of one run.

    Args:
        folder: All that lies in it counts.
        limit_bytes: None for a share of what is free.
        tell: Called with a sentence, once, when little is left.
    """

    def __init__(self, folder: Path, limit_bytes: int | None, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._told = False
        self.limit_bytes = limit_bytes
        self._is_wish = limit_bytes is not None
        if limit_bytes is None:
            with contextlib.suppress(OSError):
                free = shutil.disk_usage(folder).free
                self.limit_bytes = int(FREE_SHARE * (free + self.measure_used()))

    def lacks(self, length: int) -> int:
        """How many bytes are too few for a file of this length; 0 where it fits."""
        if self.limit_bytes is None:
            return 0
        return max(0, self.measure_used() + length - self.limit_bytes)

    def require(self, length: int) -> None:
        """A size that the user gave is kept; a share of what is free only while there is a choice.

        Raises:
            OSError: where a file of this length is too much.
        """
        if self._is_wish and self.lacks(length):
            # The same words each time: they are said once.
            raise OSError(
                errno.EDQUOT,
                f"no room is left in the {size(self.limit_bytes or 0)} of disk that snapshots may "
                "take. While one is written, the one before it stays. --disk sets another limit",
            )

    def measure_used(self) -> int:
        """What lies in the folder."""
        used = 0
        for path in self._folder.rglob("*"):
            with contextlib.suppress(OSError):
                used += path.lstat().st_size if path.is_file() else 0
        return used

    def tell_if_near(self) -> None:
        """Say so, once, when little is left."""
        if self.limit_bytes is None or self._told or self.measure_used() < NEAR * self.limit_bytes:
            return
        self._told = True
        self._tell(
            f"snapshots take most of the {size(self.limit_bytes)} of disk that they may take. "
            "When it is full, fitguard keeps one running snapshot instead of two, and removes the "
            "end of the shortest fit calls, which are trained again after a restart. "
            "--disk sets another limit"
        )
