"""The CUDA runtime and the cuDNN that the loader would give TensorFlow."""

import msgspec

from fitguard.checks.derived.build import Build
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.knowledge import Knowledge
from fitguard.schema.software import CudaLibraries, Library
from fitguard.schema.versions import parse, text


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The library that the loader would give TensorFlow.

    Args:
        wanted: Whether it bears the name that this TensorFlow asks for.
        others: The other candidates, in the loader's order.
        unused: Those that lie where the loader does not look.
    """

    version: str
    library: Library
    wanted: bool
    others: tuple[Library, ...] = ()
    unused: tuple[Library, ...] = ()

    @property
    def source(self) -> str:
        """Where it lies and what leads the loader there."""
        return whereabouts(self.library)


def whereabouts(library: Library) -> str:
    """Where a library lies and what leads the loader there, or why nothing does."""
    if not library.path:
        return library.found_by
    return f"{library.path} ({'by ' if library.searched else ''}{library.found_by})"


@fixture
def cuda(libraries: CudaLibraries, cuda_build: Build, knowledge: Knowledge) -> Loaded:
    """The CUDA runtime that TensorFlow would be given."""
    wanted = knowledge.cuda.sonames(cuda_build.cuda).get("cudart", "")
    return _find_loaded(libraries, "cudart", wanted, "CUDA runtime")


@fixture
def cudnn(libraries: CudaLibraries, cuda_build: Build) -> Loaded:
    """The cuDNN that TensorFlow would be given."""
    if not cuda_build.cudnn:
        raise Missing("which cuDNN this TensorFlow was built with is not known")
    wanted = f"libcudnn.so.{text(parse(cuda_build.cudnn), 1)}"
    return _find_loaded(libraries, "cudnn", wanted, "cuDNN")


def _find_loaded(libraries: CudaLibraries, component: str, wanted: str, what: str) -> Loaded:
    searched = libraries.find_searched(component)
    named = [item for item in searched if item.soname == wanted]
    if not searched:
        surely = libraries.lack(component) is not None
        raise Missing(f"the loader would find no {what}" if surely else f"the {what} is not known")
    first = named[0] if named else searched[0]
    if not first.version or not first.version[0].isdecimal():
        raise Missing(f"the version of the {what} {whereabouts(first)} is not known")
    return Loaded(
        version=first.version,
        library=first,
        wanted=bool(named),
        others=tuple(item for item in searched if item is not first),
        unused=libraries.find_unused(component),
    )
