"""The facts that a check can ask for by parameter name.

A fact that is missing raises `Missing` with the reason, and the check is skipped.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Cpu, Driver, Gpu, Host, KernelLog
from fitguard.schema.software import (
    CudaLibraries,
    DeepImport,
    Library,
    Package,
    Packages,
    Platform,
    Python,
    TensorFlow,
)
from fitguard.schema.versions import parse, text

T = TypeVar("T")


class Missing(Exception):
    """A fact that a check needs is not there; the message is the reason for the skip."""


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What the TensorFlow at hand was built with: its own files first, then the tables.

    Args:
        is_cuda: None where neither tells.
        cudnn_uncertain: The exact cuDNN is not known for sure.
        origin: Where this was read.
    """

    version: str
    is_cuda: bool | None
    cuda: str
    cudnn: str
    cudnn_uncertain: bool
    sass: tuple[str, ...]
    ptx: tuple[str, ...]
    newest_mostly_ptx: bool
    origin: str


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


_fixtures: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {}


def fixture(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function's result available to checks under its name."""
    _fixtures[function.__name__] = function, tuple(inspect.signature(function).parameters)
    return function


class FactResolver:
    """Gives facts by name and remembers them, the missing ones too."""

    def __init__(self, facts: Facts, knowledge: Knowledge) -> None:
        self._known: dict[str, Any] = {"facts": facts, "knowledge": knowledge}

    def __call__(self, name: str) -> Any:
        """The fact of that name.

        Raises:
            Missing: with the reason, where it is not there.
        """
        if name not in self._known:
            self._known[name] = self._resolve(name)
        value = self._known[name]
        if isinstance(value, Missing):
            raise value
        return value

    def _resolve(self, name: str) -> Any:
        function, parameters = _fixtures[name]
        try:
            return function(**{item: self(item) for item in parameters})
        except Missing as missing:
            return missing


def _known(value: T | None, what: str) -> T:
    if value is None:
        raise Missing(f"{what} is not known")
    return value


@fixture
def python(facts: Facts) -> Python:
    return _known(facts.python, "the Python version")


@fixture
def platform(facts: Facts) -> Platform:
    return _known(facts.platform, "the operating system")


@fixture
def packages(facts: Facts) -> Packages:
    return _known(facts.packages, "what is installed")


@fixture
def tensorflow(facts: Facts) -> TensorFlow:
    if facts.tensorflow is None and facts.packages is not None and facts.packages.complete:
        if facts.packages.unowned:
            raise Missing(f"nothing tells the version of {facts.packages.unowned}")
        raise Missing("TensorFlow is not installed")
    return _known(facts.tensorflow, "the TensorFlow version")


@fixture
def libraries(facts: Facts) -> CudaLibraries:
    return _known(facts.libraries, "which CUDA libraries are there")


@fixture
def driver(facts: Facts) -> Driver:
    return _known(facts.driver, "the GPU driver")


@fixture
def gpus(facts: Facts) -> tuple[Gpu, ...]:
    """At least one GPU."""
    found = _known(facts.gpus, "the GPU")
    if not found:
        raise Missing("there is no NVIDIA GPU that the driver shows")
    return found


@fixture
def kernel_log(facts: Facts) -> KernelLog:
    log = _known(facts.kernel_log, "the kernel log")
    if not log.readable:
        raise Missing(f"the kernel log cannot be read: {log.problem or 'no permission'}")
    return log


@fixture
def container(facts: Facts) -> Container:
    return _known(facts.container, "whether this is a container")


@fixture
def cpu(facts: Facts) -> Cpu:
    return _known(facts.cpu, "the processor")


@fixture
def host(facts: Facts) -> Host:
    return _known(facts.host, "the host's memory")


@fixture
def environment(facts: Facts) -> dict[str, str]:
    return _known(facts.environment, "what the environment variables hold")


@fixture
def deep(facts: Facts) -> DeepImport:
    if facts.deep is None:
        raise Missing("TensorFlow was not imported (--deep does)")
    return facts.deep


def _package(packages: Packages, name: str) -> Package:
    found = packages.first(name)
    if found is None or found.version is None:
        raise Missing(f"{name} is not installed" if packages.complete else f"{name} is not known")
    return found


@fixture
def keras(packages: Packages) -> Package:
    return _package(packages, "keras")


@fixture
def tf_keras(packages: Packages) -> Package:
    return _package(packages, "tf-keras")


@fixture
def numpy(packages: Packages) -> Package:
    return _package(packages, "numpy")


@fixture
def protobuf(packages: Packages) -> Package:
    return _package(packages, "protobuf")


@fixture
def release(tensorflow: TensorFlow, knowledge: Knowledge) -> Release:
    found = knowledge.tensorflow.find(tensorflow.version)
    if found is None:
        newest = knowledge.tensorflow.newest.version
        raise Missing(f"the tables end at TensorFlow {newest} and lack {tensorflow.version}")
    return found


@fixture
def build(tensorflow: TensorFlow, facts: Facts, knowledge: Knowledge) -> Build:
    """The build: the wheel's own files decide, the tables fill in."""
    known = knowledge.tensorflow.find(tensorflow.version)
    if known is None and tensorflow.cuda is None:
        raise Missing(f"nothing is known of the build of TensorFlow {tensorflow.version}")
    own = tensorflow.capabilities
    cudnn = tensorflow.cudnn or ""
    if known is not None and (not cudnn or known.cudnn.startswith(cudnn)):
        cudnn = known.cudnn
    return Build(
        version=tensorflow.version,
        is_cuda=_is_cuda(tensorflow, known, facts),
        cuda=tensorflow.cuda or (known.cuda if known else ""),
        cudnn=cudnn,
        cudnn_uncertain=known is None or known.cudnn_uncertain,
        sass=_capabilities(own, "sm_") if own else known.sass if known else (),
        ptx=_capabilities(own, "compute_") if own else known.ptx if known else (),
        newest_mostly_ptx=known.newest_mostly_ptx if known else False,
        origin=tensorflow.origin if tensorflow.cuda else knowledge.tensorflow.table.reference,
    )


def _is_cuda(tensorflow: TensorFlow, known: Release | None, facts: Facts) -> bool | None:
    if tensorflow.cuda_build is not None:
        return tensorflow.cuda_build
    if tensorflow.package == "tensorflow-gpu":
        return True
    if tensorflow.package in ("tensorflow-cpu", "tensorflow-intel", "tensorflow-macos"):
        return False
    platform = facts.platform
    if platform is not None and platform.system == "macos":
        return False
    if known is None or tensorflow.package != "tensorflow":
        return None
    if platform is not None and platform.machine == "aarch64":
        return False
    if platform is not None and platform.system == "windows" and not known.windows_gpu:
        return False
    return known.plain_is_cuda


def _capabilities(names: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    """`sm_90` → 9.0. The newest is listed as `compute_90` alone, but is machine code too."""
    found = [name for name in names if name.startswith(prefix)]
    if prefix == "sm_":
        found += [name for name in names if name.startswith("compute_")]
    digits = dict.fromkeys(name.split("_")[1].rstrip("af") for name in found)
    return tuple(f"{item[:-1]}.{item[-1]}" for item in digits)


@fixture
def cuda_build(build: Build) -> Build:
    """The build, where it is one with CUDA."""
    if build.is_cuda is False:
        raise Missing("this TensorFlow is built without CUDA and loads none of it")
    return build


@fixture
def cuda(libraries: CudaLibraries, cuda_build: Build, knowledge: Knowledge) -> Loaded:
    """The CUDA runtime that TensorFlow would be given."""
    wanted = knowledge.cuda.sonames(cuda_build.cuda).get("cudart", "")
    return _loaded(libraries, "cudart", wanted, "CUDA runtime")


@fixture
def cudnn(libraries: CudaLibraries, cuda_build: Build) -> Loaded:
    """The cuDNN that TensorFlow would be given."""
    if not cuda_build.cudnn:
        raise Missing("which cuDNN this TensorFlow was built with is not known")
    wanted = f"libcudnn.so.{text(parse(cuda_build.cudnn), 1)}"
    return _loaded(libraries, "cudnn", wanted, "cuDNN")


def _loaded(libraries: CudaLibraries, component: str, wanted: str, what: str) -> Loaded:
    searched = libraries.searched(component)
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
        unused=libraries.unused(component),
    )
