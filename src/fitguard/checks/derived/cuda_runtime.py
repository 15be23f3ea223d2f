"""The CUDA that counts: the runtime that will be loaded, else the one TensorFlow was built with."""

import msgspec

from fitguard.checks.derived import build as builds
from fitguard.checks.derived.build import Build
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.framework import fixtures
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.software import CudaLibraries


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """A CUDA version, and where it was found.

    Args:
        loaded: Whether it is the runtime that will be loaded, rather than that of the build.
        build: TensorFlow's build; None where TensorFlow is unknown.
    """

    version: str
    source: str
    loaded: bool
    build: Build | None = None

    @property
    def whose(self) -> str:
        """`CUDA 12.5 of TensorFlow 2.18.0`, `CUDA 12.2`."""
        if self.loaded or self.build is None:
            return f"CUDA {self.version}"
        return f"CUDA {self.version} of TensorFlow {self.build.version}"


@fixture
def runtime(facts: Facts, knowledge: Knowledge, cuda: Loaded | None = None) -> Runtime:
    """The CUDA that training will use; TensorFlow may be unknown, if a runtime is known."""
    build = _build_if_named(facts, knowledge)
    if build is not None and build.cuda:
        found = _find_loadable_runtime(cuda, build, knowledge)
    else:
        found = _first(facts.libraries)
    if found is not None:
        return Runtime(version=found[0], source=found[1], loaded=True, build=build)
    if build is None or not build.cuda:
        raise Missing("neither the CUDA runtime nor the TensorFlow version is known")
    return Runtime(version=build.cuda, source=build.origin, loaded=False, build=build)


def _build_if_named(facts: Facts, knowledge: Knowledge) -> Build | None:
    """The CUDA build; None where nobody said which TensorFlow it is."""
    installed = facts.packages is not None and facts.packages.complete
    if facts.tensorflow is None and not installed:
        return None
    named = fixtures.tensorflow(facts)
    build: Build = builds.cuda_build(builds.build(named, facts, knowledge))
    return build


def _find_loadable_runtime(
    cuda: Loaded | None, build: Build, knowledge: Knowledge
) -> tuple[str, str] | None:
    """The runtime, where TensorFlow can load it: one of another name never is."""
    if cuda is None or knowledge.cuda.fit(cuda.version, build.cuda) == "other-name":
        return None
    return cuda.version, cuda.source


def _first(libraries: CudaLibraries | None) -> tuple[str, str] | None:
    for library in libraries.find_searched("cudart") if libraries is not None else ():
        if library.version:
            return library.version, library.path or library.found_by
    return None
