"""The CUDA that counts: the runtime that will be loaded, else the one TensorFlow was built with."""

import msgspec

from fitguard.checks import fixtures
from fitguard.checks.fixtures import Build, Loaded, Missing, fixture
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
def runtime(facts: Facts, knowledge: Knowledge) -> Runtime:
    """The CUDA that training will use; TensorFlow may be unknown, if a runtime is known."""
    build = _build_if_named(facts, knowledge)
    found = _loaded(facts.libraries, build, knowledge) if facts.libraries else None
    if found is not None:
        return Runtime(version=found[0], source=found[1], loaded=True, build=build)
    if build is None or not build.cuda:
        raise Missing("neither the CUDA runtime nor the TensorFlow version is known")
    return Runtime(version=build.cuda, source=build.origin, loaded=False, build=build)


@fixture
def runtime_if_known(facts: Facts, knowledge: Knowledge) -> Runtime | None:
    """As `runtime`, but None where it is missing."""
    try:
        found: Runtime = runtime(facts, knowledge)
    except Missing:
        return None
    return found


def _build_if_named(facts: Facts, knowledge: Knowledge) -> Build | None:
    """The CUDA build; None where nobody said which TensorFlow it is."""
    installed = facts.packages is not None and facts.packages.complete
    if facts.tensorflow is None and not installed:
        return None
    named = fixtures.tensorflow(facts)
    build: Build = fixtures.cuda_build(fixtures.build(named, facts, knowledge))
    return build


def _loaded(
    libraries: CudaLibraries, build: Build | None, knowledge: Knowledge
) -> tuple[str, str] | None:
    if build is not None and build.cuda:
        try:
            loaded: Loaded = fixtures.cuda(libraries, build, knowledge)
        except Missing:
            return None
        # A library on disk under a name that TensorFlow does not ask for is never loaded; one that
        # was named outright (--what-if) is said to be.
        if not loaded.wanted and loaded.library.path:
            return None
        return loaded.version, loaded.source
    for library in libraries.candidates("cudart"):
        if library.searched and library.version:
            return library.version, library.path or library.found_by
    return None
