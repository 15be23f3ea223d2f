"""Drivers: the least one for a toolkit, the first and the last one for a GPU."""

import re
from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema import versions
from fitguard.schema.versions import Version, parse


class ToolkitDriver(msgspec.Struct, frozen=True, kw_only=True):
    """A toolkit release, the driver it came with, and the least that minor-version compatibility
    admits (from CUDA 11 on; before, the two are the same)."""

    cuda: str
    release: str
    linux: str = ""
    windows: str = ""
    linux_minor: str = ""
    windows_minor: str = ""
    source: str
    note: str = ""


class ArchitectureDrivers(msgspec.Struct, frozen=True, kw_only=True):
    """A range of compute capabilities, and the drivers that serve it."""

    architecture: str
    least: str
    newest: str
    first_driver: str = ""
    last_branch: str = ""
    source: str
    note: str = ""
    uncertain: bool = False


class Drivers:
    """Queries on drivers. `windows` means Windows' own version numbers, which WSL2 shows too."""

    @cached_property
    def toolkit_table(self) -> Table[ToolkitDriver]:
        """Toolkits and their drivers, newest first."""
        return Table("cuda_driver", ToolkitDriver)

    @cached_property
    def architecture_table(self) -> Table[ArchitectureDrivers]:
        """GPU architectures and the drivers that serve them."""
        return Table("driver_arch", ArchitectureDrivers)

    def least(self, cuda: str, *, windows: bool = False, exact: bool = False) -> str | None:
        """The least driver for a toolkit.

        Args:
            cuda: `12`, `12.5` or `12.5.1`; a patch is the toolkit's update of that number.
            windows: Give Windows' version number.
            exact: The driver that the toolkit came with, rather than the least that
                minor-version compatibility admits.
        """
        row = self._toolkit(parse(cuda))
        if row is None:
            return None
        came_with, minor = (
            (row.windows, row.windows_minor) if windows else (row.linux, row.linux_minor)
        )
        if exact:
            return came_with or None
        # CUDA 11.0 came with a driver below the minimum that was later promised for all of 11.
        return min((item for item in (came_with, minor) if item), key=parse, default=None)

    def _toolkit(self, cuda: Version) -> ToolkitDriver | None:
        rows = [row for row in self.toolkit_table.rows if versions.same(parse(row.cuda), cuda, 2)]
        update = cuda[2] if len(cuda) > 2 else 0
        # Of two releases without an update's number (8.0 GA1 and GA2), the older one is enough.
        for row in reversed(rows):
            named = re.search(r"Update (\d+)", row.release)
            if (int(named[1]) if named else 0) == update:
                return row
        return rows[-1] if rows else None

    def newest_cuda(self, driver: str, *, windows: bool = False) -> str | None:
        """The newest CUDA whose toolkit driver is not newer than this driver."""
        have = parse(driver)
        for row in self.toolkit_table.rows:
            came_with = row.windows if windows else row.linux
            if came_with and parse(came_with) <= have:
                return row.cuda
        return None

    def architecture(self, capability: str) -> ArchitectureDrivers | None:
        """The row for a GPU of this compute capability."""
        gpu = parse(capability)
        for row in self.architecture_table.rows:
            if parse(row.least) <= gpu <= parse(row.newest):
                return row
        return None

    def last_branch(self, capability: str) -> str | None:
        """The last driver branch that serves the GPU; None where the current ones do."""
        row = self.architecture(capability)
        return (row.last_branch or None) if row else None
