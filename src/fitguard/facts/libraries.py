"""Every CUDA library that could be loaded, in the order in which the loader would take them."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fitguard.facts import elf, loader, toolkits, wheels, xla_tools
from fitguard.facts.library_version import version_of
from fitguard.facts.loader import Loader, Place, SearchOrder
from fitguard.facts.wheels import Wheels
from fitguard.schema.software import CudaLibraries, Library, Python, Toolkit

COMPONENTS = (
    *("cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn"),
    *("nccl", "cupti", "nvrtc", "nvJitLink", "nvinfer", "nvinfer_plugin"),
)
_FILE_NAME = re.compile(rf"lib({'|'.join(COMPONENTS)})\.so\.(\d[\d.]*)", re.ASCII)
_FILE_NAME_BYTES = re.compile(_FILE_NAME.pattern.encode())
_WHEEL = "wheel"
# The library that opens CUDA's libraries since TensorFlow 1.15; only its own RUNPATH counts then.
_OPENER = "libtensorflow_framework.so"
# Opened by other parts of TensorFlow, each with a RUNPATH of its own.
_OPENED_ELSEWHERE = frozenset({"cupti", "nccl"})


def find(
    environment: Mapping[str, str],
    python: Python | None,
    tensorflow_libraries: Sequence[Path],
    site_directories: Sequence[Path],
    root: Path = Path("/"),
    *,
    cuda_build: str | None = None,
    platform: str = sys.platform,
) -> CudaLibraries:
    """Look through all that the loader searches, then through where libraries lie unused.

    Args:
        environment: The variables under which TensorFlow would run.
        python: The interpreter that would import TensorFlow.
        tensorflow_libraries: TensorFlow's own, whose RPATH or RUNPATH the loader follows.
        site_directories: Where wheels are installed.
        root: Where the system's directories such as /usr/local lie.
        platform: As `sys.platform` has it; only Linux' loader is known.
        cuda_build: The CUDA that TensorFlow was built with: XLA looks for a toolkit of that name.
    """
    if not platform.startswith("linux"):
        return CudaLibraries()
    executable = Path(python.executable) if python and python.executable else None
    nvcc = toolkits.find_nvcc(environment)
    on_disk = toolkits.find(environment, nvcc, root)
    collection = _Collection(Wheels(site_directories), [Path(item.path) for item in on_disk])
    here = Loader(environment, executable, _FILE_NAME_BYTES, root)
    for libraries, opened in _who_opens(tensorflow_libraries):
        collection.add_searched(here.search_order(libraries), opened)
    collection.add_unused(_find_usual_places(environment, python, site_directories, on_disk))
    roots = xla_tools.cuda_roots(environment, tensorflow_libraries, cuda_build, root)
    return CudaLibraries(
        found=collection.in_order(),
        toolkits=on_disk,
        complete=True,
        library_path=tuple(map(str, loader.library_path(environment))),
        nvcc=_text(nvcc.path if nvcc else None),
        nvcc_version=toolkits.nvcc_version(nvcc, on_disk, environment) if nvcc else None,
        ptxas=_text(xla_tools.find_ptxas(environment, roots)),
        libdevice=_text(xla_tools.find_libdevice(roots)),
    )


def _who_opens(
    tensorflow_libraries: Sequence[Path],
) -> Iterator[tuple[Sequence[Path], frozenset[str]]]:
    """Which of TensorFlow's libraries open which components."""
    opener = [path for path in tensorflow_libraries if path.name.startswith(_OPENER)]
    yield opener or tensorflow_libraries, _NAMES - _OPENED_ELSEWHERE
    yield tensorflow_libraries, _OPENED_ELSEWHERE


def _text(path: Path | None) -> str | None:
    return str(path) if path else None


def _find_usual_places(
    environment: Mapping[str, str],
    python: Python | None,
    site_directories: Sequence[Path],
    on_disk: Sequence[Toolkit],
) -> Iterator[Place]:
    """Where CUDA libraries are usually installed, whether the loader looks there or not."""
    for path in wheels.library_directories(site_directories):
        yield Place(path, _WHEEL)
    prefixes = [environment.get("CONDA_PREFIX")]
    if python is not None:
        prefixes = [python.prefix, python.base_prefix, *prefixes]
    for prefix in prefixes:
        if prefix and (Path(prefix) / "conda-meta").is_dir():
            yield Place(Path(prefix) / "lib", "conda environment")
    for toolkit in on_disk:
        for path in toolkits.library_directories(toolkit):
            yield Place(path, f"toolkit {toolkit.path}")


@dataclass(frozen=True)
class _Candidate:
    """A file that programs can ask for by `soname`; `reachable` where it bears that name."""

    component: str
    soname: str
    path: Path
    real: Path
    reachable: bool = True


@dataclass
class _Collection:
    """Libraries by real file and soname; the way that comes first stays."""

    wheels: Wheels
    toolkits: list[Path]
    searched: dict[tuple[Path, str], Library] = field(default_factory=dict)
    unused: dict[tuple[Path, str], Library] = field(default_factory=dict)

    def add_searched(self, order: SearchOrder, opened: frozenset[str]) -> None:
        """What the loader finds. A file without a link of its soname lies there unused."""
        for place in order.before_cache:
            self._add_directory(place, opened)
        for path in order.cached:
            for candidate in _candidates([path]):
                if candidate.component in opened:
                    self._keep(candidate, "ld.so.cache", searched=True)
        for place in order.after_cache:
            self._add_directory(place, opened)

    def add_unused(self, places: Iterable[Place]) -> None:
        """What lies where the loader does not look."""
        for place in loader.once(places):
            for candidate in _candidates(_files(place.path)):
                name = place.found_by
                if name == _WHEEL:
                    wheel = self.wheels.owner(candidate.real)
                    name = f"wheel {wheel.name}" if wheel else str(place.path)
                self._keep(candidate, f"{name}, not on the loader's path", searched=False)

    def in_order(self) -> tuple[Library, ...]:
        """The loader's order, then the unused."""
        rest = (item for key, item in self.unused.items() if key not in self.searched)
        return (*self.searched.values(), *rest)

    def _add_directory(self, place: Place, opened: frozenset[str]) -> None:
        for candidate in _candidates(_files(place.path)):
            if candidate.component not in opened:
                continue
            if candidate.reachable:
                self._keep(candidate, place.found_by, searched=True)
            else:
                missing = f"{place.found_by}, but there is no link {candidate.soname}"
                self._keep(candidate, missing, searched=False)

    def _keep(self, candidate: _Candidate, found_by: str, *, searched: bool) -> None:
        held = self.searched if searched else self.unused
        key = (candidate.real, candidate.soname)
        if key in held or key in self.searched:
            return
        wheel = self.wheels.owner(candidate.real)
        version, source = version_of(
            candidate.component, candidate.soname, candidate.real, wheel, self.toolkits
        )
        held[key] = Library(
            component=candidate.component,
            soname=candidate.soname,
            path=str(candidate.path),
            version=version,
            version_from=source,
            found_by=found_by,
            searched=searched,
            package=wheel.name if wheel else None,
        )


def _normalize_component(component: str) -> str:
    return component.replace("nvJitLink", "nvjitlink")


_NAMES = frozenset(map(_normalize_component, COMPONENTS))


def _files(directory: Path) -> list[Path]:
    try:
        names = [entry.name for entry in os.scandir(directory) if _FILE_NAME.fullmatch(entry.name)]
    except OSError:
        return []
    # RUNPATHs are full of `a/../b`, which is not `b` where `a` is a link.
    shown = Path(os.path.realpath(directory)) if ".." in directory.parts else directory
    return [shown / name for name in sorted(names)]


def _candidates(files: Sequence[Path]) -> Iterator[_Candidate]:
    """The names by which each real file can be asked for."""
    links: dict[Path, list[Path]] = {}
    for path in files:
        real = Path(os.path.realpath(path))
        if real.is_file():
            links.setdefault(real, []).append(path)
    for real, paths in links.items():
        yield from _select_loader_names(real, paths)


def _select_loader_names(real: Path, paths: list[Path]) -> Iterator[_Candidate]:
    """`libcudnn.so.8` of libcudnn.so.8 and libcudnn.so.8.9.7; every odd link besides.

    People link `libcudart.so.10.1` to the runtime of CUDA 11, and the loader takes it.
    """
    names = [path for path in paths if path.name != real.name] or paths
    for path in names:
        longer = any(path.name.startswith(f"{other.name}.") for other in names)
        match = _FILE_NAME.fullmatch(path.name)
        if longer or match is None:
            continue
        component = _normalize_component(match[1])
        own = elf.read(real) if path.name == real.name else None
        soname = own.soname if own and own.soname else path.name
        yield _Candidate(component, soname, path, real, soname == path.name)
