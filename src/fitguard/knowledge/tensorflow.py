"""TensorFlow's releases: what each was built with, needs, and carries for GPUs."""

from functools import cached_property
from typing import Literal

import msgspec

from fitguard.knowledge.table import Table
from fitguard.knowledge.thresholds import threshold
from fitguard.schema import versions
from fitguard.schema.versions import Version

Code = Literal["sass", "mostly-ptx", "ptx", "none"]


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """One release. `cuda` and `cudnn` are those it was built with; where the documentation names
    others, they stand in `…_documented`, and the build decides.

    Args:
        keras_kind: What `tf.keras` is: none, bundled, keras2 (a package) or keras3.
        keras: The range of the keras package that the wheel asks for.
        gpu_package: What to install for a GPU: tensorflow-gpu, tensorflow, tensorflow[and-cuda].
        plain_is_cuda: Whether the wheel named plainly `tensorflow` was built with CUDA (Linux).
        sass: Compute capabilities with machine code in the wheel.
        ptx: Compute capabilities with PTX, which a driver compiles for newer GPUs.
        newest_mostly_ptx: Most kernels for the newest of `sass` are PTX all the same.
    """

    versions: tuple[str, ...]
    pythons: tuple[str, ...]
    cuda: str
    cuda_documented: str
    cudnn: str
    cudnn_documented: str
    cudnn_uncertain: bool = False
    cudnn_source: str = ""
    keras_kind: Literal["none", "bundled", "keras2", "keras3"]
    keras: str = ""
    numpy: str = ""
    numpy2: bool = False
    protobuf: str = ""
    windows_gpu: bool = False
    gpu_package: str
    plain_is_cuda: bool = False
    sass: tuple[str, ...]
    ptx: tuple[str, ...]
    newest_mostly_ptx: bool = False
    capabilities_source: str = ""
    avx: bool = False
    source: str

    @property
    def version(self) -> str:
        """The version of this release."""
        return self.versions[0]

    @property
    def minor(self) -> Version:
        """(2, 10) for 2.10.1."""
        return versions.parse(self.version)[:2]

    @property
    def has_cpu_package(self) -> bool:
        """Whether there is a tensorflow-cpu of it; before, plain `tensorflow` had no CUDA."""
        first = threshold(f"first-tensorflow-cpu-{self.minor[0]}")
        return self.minor >= versions.parse(first)


class Releases:
    """All releases, oldest first."""

    def __init__(self) -> None:
        self.table = Table("tensorflow", Release)

    @cached_property
    def all(self) -> tuple[Release, ...]:
        """One entry for each release, oldest first."""
        expanded = (
            msgspec.structs.replace(row, versions=(version,))
            for row in self.table.rows
            for version in row.versions
        )
        return tuple(sorted(expanded, key=lambda release: _key(release.version)))

    @property
    def newest(self) -> Release:
        """The newest release that the table knows."""
        return self.all[-1]

    def find(self, version: str) -> Release | None:
        """The release; for a version the table does not have, the newest of the same minor.

        `2.10` is the newest 2.10; `2.15.1+nv24.03` and `2.16.0rc1` count as their minor.
        """
        exact = [release for release in self.all if release.version == version]
        if exact:
            return exact[0]
        minor = versions.parse(version)[:2]
        same_minor = [release for release in self.all if release.minor == minor]
        return same_minor[-1] if len(minor) == 2 and same_minor else None

    def container(self, release: Release, *, gpu: bool = True) -> str:
        """The official image of this release's minor.

        Docker Hub has the first release of a minor; later patches are often not there. From 2.2 on
        the images hold Python 3 alone, and their tags no longer say so.
        """
        first = self.matching(versions.text(release.minor))[0].version
        kind = "-gpu" if gpu else ""
        python = "-py3" if release.minor < (2, 2) else ""
        return f"tensorflow/tensorflow:{first}{kind}{python}"

    @property
    def nvidia_container(self) -> str:
        """The last of NVIDIA's own images with TensorFlow; built for ARM and for Blackwell too."""
        return f"NVIDIA's container {threshold('nvidia-container')} (NGC catalogue)"

    def is_empty_gpu_package(self, version: str) -> bool:
        """Whether tensorflow-gpu of this version installs nothing."""
        return versions.parse(version) > versions.parse(threshold("last-tensorflow-gpu"))

    def matching(self, prefix: str) -> tuple[Release, ...]:
        """All releases that a pin such as `2`, `2.10` or `2.10.1` admits.

        A whole version admits itself alone: 2.15.0 is not 2.15.0.post1.
        """
        exact = tuple(release for release in self.all if release.version == prefix)
        if exact:
            return exact
        dotted = prefix.rstrip(".") + "."
        return tuple(release for release in self.all if f"{release.version}.".startswith(dotted))


def _key(version: str) -> tuple[Version, bool]:
    return versions.parse(version), "post" in version


def code_for(
    sass: tuple[str, ...], ptx: tuple[str, ...], capability: str, *, newest_mostly_ptx: bool = False
) -> Code:
    """Does a build carry code that a GPU of this compute capability can run, and in which form?

    Machine code runs on GPUs of the same major and the same or a higher minor. PTX is compiled by
    the driver, at the first run, for any GPU as new as it or newer.
    """
    gpu = versions.parse(capability)
    machine = [versions.parse(item) for item in sass]
    fitting = [item for item in machine if item[0] == gpu[0] and item <= gpu]
    if fitting:
        return "mostly-ptx" if newest_mostly_ptx and max(fitting) == max(machine) else "sass"
    if any(versions.parse(item) <= gpu for item in ptx):
        return "ptx"
    return "none"
