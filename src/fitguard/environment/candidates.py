"""The sets that `resolve` tries: each release with what it was built for, on given hardware."""

from collections.abc import Iterator

import msgspec

from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, Gpu
from fitguard.schema.software import (
    CudaLibraries,
    Library,
    Packages,
    Platform,
    Python,
    TensorFlow,
)
from fitguard.schema.versions import parse, text


class Constraints(msgspec.Struct, frozen=True, kw_only=True):
    """What is fixed. None is free: `resolve` chooses it or says what it must be.

    Args:
        tensorflow: A pin such as `2.10` or `2.10.1`.
        python: Major and minor.
        cuda: A pin of the CUDA runtime.
        packages: Pinned versions of keras, numpy, protobuf.
    """

    tensorflow: str | None = None
    python: str | None = None
    cuda: str | None = None
    cudnn: str | None = None
    packages: Packages | None = None
    platform: Platform | None = None
    driver: Driver | None = None
    gpus: tuple[Gpu, ...] | None = None

    @property
    def cpu_only(self) -> bool:
        """There surely is no GPU."""
        return self.gpus == ()

    @property
    def windows_drivers(self) -> bool:
        """Whether driver versions are Windows' own: there, and in WSL2."""
        return self.platform is not None and (
            self.platform.wsl or self.platform.system == "windows"
        )

    def last_driver_branch(self, tables: Knowledge) -> str | None:
        """The last driver branch that serves all the GPUs; None where the current ones do."""
        branches = (
            tables.drivers.last_branch(gpu.compute_capability)
            for gpu in self.gpus or ()
            if gpu.compute_capability
        )
        return min((branch for branch in branches if branch), key=int, default=None)


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One release on the given hardware, with the facts that a doctor would judge."""

    release: Release
    python: str
    cuda: str
    cudnn: str
    facts: Facts


def candidates(constraints: Constraints, tables: Knowledge) -> Iterator[Candidate]:
    """Every release that the pins admit, newest first."""
    releases = (
        tables.tensorflow.matching(constraints.tensorflow)
        if constraints.tensorflow
        else tables.tensorflow.all
    )
    for release in reversed(releases):
        yield _candidate(release, constraints, tables)


def _candidate(release: Release, constraints: Constraints, tables: Knowledge) -> Candidate:
    python = constraints.python or tables.newest_python(release)
    package, _, extra = release.gpu_package.partition("[")
    cuda = constraints.cuda or text(parse(release.cuda), 2)
    cudnn = constraints.cudnn or release.cudnn
    facts = Facts(
        python=Python(version=python, origin="resolve"),
        platform=constraints.platform,
        packages=constraints.packages,
        tensorflow=TensorFlow(
            version=release.version,
            package="tensorflow-cpu" if constraints.cpu_only else package,
            extras=(extra.rstrip("]"),) if extra else None,
            origin=tables.tensorflow.table.reference,
        ),
        libraries=None if constraints.cpu_only else _libraries(cuda, cudnn, tables),
        driver=constraints.driver,
        gpus=constraints.gpus,
    )
    return Candidate(release=release, python=python, cuda=cuda, cudnn=cudnn, facts=facts)


def _libraries(cuda: str, cudnn: str, tables: Knowledge) -> CudaLibraries:
    """The CUDA and cuDNN of the set, as the loader would find them."""
    runtime = tables.cuda.sonames(cuda)["cudart"]
    return CudaLibraries(
        found=(
            Library(component="cudart", soname=runtime, path="", version=cuda, found_by="the set"),
            Library(
                component="cudnn",
                soname=f"libcudnn.so.{text(parse(cudnn), 1)}",
                path="",
                version=cudnn,
                found_by="the set",
            ),
        )
    )
