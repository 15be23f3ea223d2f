"""What TensorFlow asks the loader for, what it is given, and whether that fits."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.framework.fixtures import Missing, fixture
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Severity
from fitguard.schema.software import CudaLibraries, Library
from fitguard.schema.versions import Version, parse, text

BY_LIBRARY_PATH = "LD_LIBRARY_PATH"


@fixture
def wanted_sonames(cuda_build: Build, knowledge: Knowledge) -> dict[str, str]:
    """`{"cudart": "libcudart.so.12", …, "cudnn": "libcudnn.so.9"}`: what TensorFlow asks for."""
    if not cuda_build.cuda:
        raise Missing("which CUDA this TensorFlow was built with is not known")
    wanted = knowledge.cuda.find_requested_sonames(cuda_build.cuda, cuda_build.version)
    if not wanted:
        raise Missing(f"the names of the libraries of CUDA {cuda_build.cuda} are not known")
    if cuda_build.cudnn:
        wanted["cudnn"] = f"libcudnn.so.{text(parse(cuda_build.cudnn), 1)}"
    return wanted


def skip_without_gpu(facts: Facts) -> None:
    """Libraries that no GPU waits for are not missing.

    Raises:
        Missing: where there surely is no GPU.
    """
    if facts.gpus == ():
        raise Missing("there is no GPU that would need it")


def skip_stranger(found: Loaded, facts: Facts) -> None:
    """Without a GPU, a library under another name matters only to who chose it.

    Raises:
        Missing: where there surely is no GPU, and the system merely has that library too.
    """
    chosen = found.library.found_by.startswith((BY_LIBRARY_PATH, "--what-if"))
    if not found.wanted and not chosen:
        skip_without_gpu(facts)


@fixture
def grave(facts: Facts) -> Severity:
    """How bad a library that does not fit is: without a GPU, no training needs it yet."""
    return "warning" if facts.gpus == () else "error"


@fixture
def loaded(cuda: Loaded | None = None, cudnn: Loaded | None = None) -> dict[str, Loaded]:
    """The runtime (`cudart`) and the cuDNN (`cudnn`) that TensorFlow is given, as far as known."""
    if cuda is None and cudnn is None:
        raise Missing("the loader would find neither a CUDA runtime nor a cuDNN that is known")
    return {
        component: found
        for component, found in {"cudart": cuda, "cudnn": cudnn}.items()
        if found is not None
    }


def fits(library: Library, build: Build, knowledge: Knowledge) -> bool:
    """Whether TensorFlow can use this runtime or this cuDNN."""
    if not library.version or not library.version[0].isdecimal():
        return False
    if library.component == "cudnn":
        return knowledge.cudnn.fit(library.version, build.cudnn, build.version) == "fits"
    return knowledge.cuda.fit(library.version, build.cuda) == "fits"


def surely_fits(library: Library, build: Build, knowledge: Knowledge) -> bool:
    """As `fits`, where not only the major of the version is known."""
    return fits(library, build, knowledge) and "." in (library.version or "")


def find_unused_fitting(found: Loaded, build: Build, knowledge: Knowledge) -> Library | None:
    """A library that would fit, in a place where the loader does not look."""
    return next((item for item in found.unused if fits(item, build, knowledge)), None)


def find_installed_with(
    right: Library, libraries: CudaLibraries, wanted: Mapping[str, str]
) -> tuple[Library, ...]:
    """What TensorFlow asks for and lies unused in the same installation: its folder, or wheels."""
    return tuple(
        item
        for component, soname in wanted.items()
        for item in libraries.find_unused(component)
        if item.soname == soname
        and (item.package is not None if right.package else folder(item) == folder(right))
    )


def label(library: Library) -> str:
    """`CUDA 11.8`, `cuDNN 8.9.7`, `libcusolver.so.11`."""
    name, parts = _PEOPLE_SAY.get(library.component, ("", 0))
    if not name or not library.version or not library.version[0].isdecimal():
        return library.soname
    return f"{name} {text(parse(library.version), parts)}"


def quote_cudnn_versions(cudnn: Loaded, build: Build) -> tuple[Evidence, ...]:
    """The cuDNN that is loaded, and the one that TensorFlow was built with."""
    return (
        Evidence(label(cudnn.library), cudnn.source),
        Evidence(f"TensorFlow {build.version} is built with cuDNN {build.cudnn}", build.origin),
    )


# The name, and how many parts of the version count.
_PEOPLE_SAY = {"cudart": ("CUDA", 2), "cudnn": ("cuDNN", 3)}


def format_build(build: Build) -> str:
    """`CUDA 12.5 and cuDNN 9.3`, or what is known of it."""
    cudnn = f" and cuDNN {text(parse(build.cudnn), 2)}" if build.cudnn else ""
    return f"CUDA {text(parse(build.cuda), 2)}{cudnn}"


def quote_cuda_build(build: Build) -> Evidence:
    """The CUDA that TensorFlow was built with."""
    cuda = text(parse(build.cuda), 2)
    return Evidence(f"TensorFlow {build.version} is built with CUDA {cuda}", build.origin)


def file_name(soname: str, facts: Facts) -> str:
    """The file that TensorFlow asks for: `libcudart.so.11.0`, on Windows `cudart64_110.dll`."""
    if facts.platform is None or facts.platform.system != "windows":
        return soname
    component, _, version = soname.removeprefix("lib").partition(".so.")
    return f"{component}64_{version.replace('.', '')}.dll"


def folder(library: Library) -> str:
    """The folder in which a library lies."""
    return str(PurePosixPath(library.path).parent)


def cuda_of(library: Library, libraries: CudaLibraries) -> Version | None:
    """The CUDA that a library belongs to, as far as its wheel, its toolkit or its folder tells."""
    if library.component == "cudart" and library.version:
        return parse(library.version)[:2]
    if match := re.search(r"-cu(\d+)$", library.package or ""):
        return (int(match[1]),)
    for toolkit in libraries.toolkits:
        if toolkit.version and library.path.startswith(f"{toolkit.path}/"):
            return parse(toolkit.version)[:2]
    if match := re.search(r"/cuda-(\d+)\.(\d+)[./]", library.path):
        return int(match[1]), int(match[2])
    if library.component == "cudnn":
        # It is packed apart from CUDA: a runtime in the same folder says nothing of it.
        return None
    beside = (item for item in libraries.candidates("cudart") if folder(item) == folder(library))
    runtime = next(beside, None)
    return parse(runtime.version)[:2] if runtime and runtime.version else None
