"""cuDNN: its rule with TensorFlow, and the GPUs that each version serves."""

from functools import cached_property
from typing import Literal

import msgspec

from fitguard.knowledge.table import Table
from fitguard.knowledge.thresholds import threshold
from fitguard.schema import versions
from fitguard.schema.versions import parse

Fit = Literal["fits", "other-major", "too-old", "too-new"]


class CudnnVersions(msgspec.Struct, frozen=True, kw_only=True):
    """A range of cuDNN versions. `least` is the least compute capability, by CUDA major."""

    versions: tuple[str, str]
    cuda_toolkits: str
    least: dict[str, str]
    soname: str
    source: str
    note: str = ""
    uncertain: bool = False


class Cudnn:
    """Queries on cuDNN."""

    @cached_property
    def table(self) -> Table[CudnnVersions]:
        """cuDNN's versions, oldest first."""
        return Table("cudnn", CudnnVersions)

    def row(self, version: str) -> CudnnVersions | None:
        """The row that covers this version: the last that does not start after it."""
        wanted = parse(version)
        covering = [
            row
            for row in self.table.rows
            if parse(row.versions[0])[: len(wanted)] <= wanted
            and parse(row.versions[0])[0] == wanted[0]
        ]
        return covering[-1] if covering else None

    def least_capability(self, version: str, cuda: str | None = None) -> str | None:
        """The least compute capability that this cuDNN serves, in its build for that CUDA."""
        row = self.row(version)
        if row is None:
            return None
        if cuda is not None and versions.text(parse(cuda), 1) in row.least:
            return row.least[versions.text(parse(cuda), 1)]
        return row.least.get("any") or min(row.least.values(), key=parse)

    def last_for(self, capability: str) -> str | None:
        """The newest cuDNN that still serves this GPU; None where the newest of all does."""
        served = [
            row
            for row in self.table.rows
            if min(map(parse, row.least.values())) <= parse(capability)
        ]
        if not served or served[-1] is self.table.rows[-1]:
            return None
        return served[-1].versions[1]

    def format_pip_bound(self, capability: str) -> str | None:
        """A bound for pip that keeps cuDNN at versions that serve this GPU: `<9.11`."""
        last = self.last_for(capability)
        if last is None:
            return None
        major, minor = parse(last)[:2]
        return f"<{major}.{minor + 1}"

    def fit(self, loaded: str, compiled: str, tensorflow: str) -> Fit:
        """Whether TensorFlow takes this cuDNN: the same major, and a minor that is not older.

        Patch releases do not matter. Up to TensorFlow 1.6 the minor had to be the same.
        """
        have, need = parse(loaded), parse(compiled)
        if have[0] != need[0]:
            return "other-major"
        if versions.older(have[:2], need[:2]):
            return "too-old"
        last_strict = parse(threshold("last-tensorflow-strict-about-cudnn"))
        strict = parse(tensorflow)[:2] <= last_strict
        return "too-new" if strict and versions.newer(have[:2], need[:2]) else "fits"
