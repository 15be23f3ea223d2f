"""Facts about the interpreter, its packages, TensorFlow's build and the CUDA libraries."""

import msgspec


class Python(msgspec.Struct, frozen=True, kw_only=True):
    """The interpreter that trains.

    Args:
        base_prefix: Of the Python that a virtual environment was made from.
        implementation: cpython, pypy …
        platform_tag: What wheels are chosen by: linux-x86_64, win32 …
    """

    version: str
    executable: str | None = None
    prefix: str | None = None
    base_prefix: str | None = None
    conda: bool = False
    implementation: str | None = None
    platform_tag: str | None = None
    origin: str = ""


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """The operating system: `system` is linux, windows or macos."""

    system: str
    machine: str | None = None
    wsl: bool = False
    distribution: str | None = None
    kernel: str | None = None
    libc: str | None = None
    origin: str = ""


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """An installed distribution.

    Args:
        name: Normalised: lower case, hyphens.
        version: None where the metadata is broken; `problem` says how.
        installer: pip, conda, uv, editable …, as the metadata tells.
        requested: Whether a person asked for it, rather than another package.
    """

    name: str
    version: str | None = None
    location: str | None = None
    installer: str | None = None
    requested: bool | None = None
    problem: str | None = None
    origin: str = ""


class Packages(msgspec.Struct, frozen=True):
    """The distributions that matter. If `complete`, what is not here is not installed.

    Args:
        unowned: A folder or file that Python would import as TensorFlow, though no package owns it
            and nothing in it tells a version.
        shadows: Files and folders in the current folder that scripts started from it would import
            in place of a package.
    """

    found: tuple[Package, ...] = ()
    complete: bool = False
    unowned: str | None = None
    shadows: tuple[str, ...] = ()

    def find_copies(self, name: str) -> tuple[Package, ...]:
        """All copies of one distribution, the one that Python imports first."""
        return tuple(package for package in self.found if package.name == name)

    def first(self, name: str) -> Package | None:
        """The copy that Python imports."""
        return next(iter(self.find_copies(name)), None)


class TensorFlow(msgspec.Struct, frozen=True, kw_only=True):
    """The TensorFlow that would be imported, and its build as its own files tell it.

    Args:
        package: The distribution it came from: tensorflow, tensorflow-gpu, tensorflow-cpu …
        cuda_build: Whether it was built with CUDA; None where its files do not tell.
        cuda: The CUDA it was built with.
        cudnn: The cuDNN it was built with; often the major alone.
        capabilities: `sm_60`, `compute_90` …: the GPU code in it.
        extras: Extras it was installed with, where known.
    """

    version: str
    package: str | None = None
    cuda_build: bool | None = None
    cuda: str | None = None
    cudnn: str | None = None
    capabilities: tuple[str, ...] | None = None
    extras: tuple[str, ...] | None = None
    location: str | None = None
    origin: str = ""


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """A shared library that could be loaded.

    Args:
        component: cudart, cublas, cudnn …
        soname: The name that programs ask the loader for: `libcudnn.so.9`.
        version: As exactly as could be found; `version_from` says from what.
        found_by: What leads the loader there: `LD_LIBRARY_PATH`, `RUNPATH of …`,
            `ld.so.cache`, `default directory`; or where it lies unused.
        searched: Whether the loader looks there at all.
        package: The wheel that it belongs to.
    """

    component: str
    soname: str
    path: str
    version: str | None = None
    version_from: str | None = None
    found_by: str = ""
    searched: bool = True
    package: str | None = None


class Toolkit(msgspec.Struct, frozen=True):
    """A CUDA toolkit on disk."""

    version: str | None
    path: str
    nvcc: bool = False
    origin: str = ""


class CudaLibraries(msgspec.Struct, frozen=True, kw_only=True):
    """Every CUDA library that could be loaded, in the order in which the loader would take them.

    Args:
        found: In the loader's order; those it does not search come last.
        complete: Whether what is not here is not on the machine.
        library_path: The directories in LD_LIBRARY_PATH; None where it is unknown.
        nvcc: The compiler on PATH.
        ptxas: The assembler that XLA would use.
        libdevice: The bitcode file that XLA would use.
    """

    found: tuple[Library, ...] = ()
    toolkits: tuple[Toolkit, ...] = ()
    complete: bool = False
    absent: dict[str, str] = {}
    library_path: tuple[str, ...] | None = None
    nvcc: str | None = None
    nvcc_version: str | None = None
    ptxas: str | None = None
    libdevice: str | None = None

    def candidates(self, component: str) -> tuple[Library, ...]:
        """All libraries of one component, in the loader's order."""
        return tuple(library for library in self.found if library.component == component)

    def find_searched(self, component: str) -> tuple[Library, ...]:
        """Those that the loader would find, the one it takes first."""
        return tuple(library for library in self.candidates(component) if library.searched)

    def find_unused(self, component: str) -> tuple[Library, ...]:
        """Those that lie where the loader does not look."""
        return tuple(library for library in self.candidates(component) if not library.searched)

    def lack(self, component: str) -> str | None:
        """What says that the loader surely finds none of it; None where it may find one."""
        if self.find_searched(component):
            return None
        everywhere = "all places where the loader looks" if self.complete else None
        return self.absent.get(component, everywhere)


class DeepImport(msgspec.Struct, frozen=True, kw_only=True):
    """What happened when a child of the interpreter imported TensorFlow.

    Args:
        version: What TensorFlow said of itself; None where the import failed.
        build: `tf.sysconfig.get_build_info()`.
        gpus: The GPUs that TensorFlow sees.
        exit_code: Of the child; negative for a signal, as subprocess gives it.
        signal: The signal's name, where one ended it.
        timed_out: Whether it was stopped at the time limit.
        log: The last lines it wrote.
    """

    version: str | None = None
    build: dict[str, str] = {}
    gpus: tuple[str, ...] | None = None
    exit_code: int | None = None
    signal: str | None = None
    timed_out: bool = False
    seconds: float | None = None
    log: tuple[str, ...] = ()
