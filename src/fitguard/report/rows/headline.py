"""What was judged, in a few lines: a line only where the fact is known."""

from collections.abc import Iterator
from itertools import groupby

from fitguard.schema import versions
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, Gpu
from fitguard.schema.probe import ProbeResult
from fitguard.schema.software import CudaLibraries, DeepImport, Library, Packages, TensorFlow
from fitguard.words import DOT, SPELLING, count, join, size

Row = tuple[str, str]

SYSTEMS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}


def headline(facts: Facts) -> list[Row]:
    """Labels and values: system, Python, TensorFlow, Keras, GPUs, driver, CUDA libraries."""
    rows = [
        ("System", _system(facts)),
        ("Python", _python(facts)),
        ("TensorFlow", _tensorflow(facts)),
        ("Imported", _format_import(facts.deep)),
        ("Probed", _format_probes(facts.probes)),
        ("Keras", _keras(facts)),
        *_gpus(facts.gpus),
        ("Driver", _driver(facts.driver)),
        ("CUDA", _libraries(facts.libraries, facts.tensorflow)),
    ]
    return [(name, value) for name, value in rows if value]


def _system(facts: Facts) -> str:
    parts: list[str | None] = []
    if platform := facts.platform:
        name = platform.distribution or SYSTEMS.get(platform.system, platform.system)
        parts += [name, platform.machine, platform.libc, "WSL" if platform.wsl else None]
    if facts.container and facts.container.runtime:
        parts.append(f"in {facts.container.runtime}")
    return join(parts)


def _python(facts: Facts) -> str:
    if not (python := facts.python):
        return ""
    return join([python.version, "conda" if python.conda else None, python.executable])


def _tensorflow(facts: Facts) -> str:
    tensorflow = facts.tensorflow
    if not tensorflow:
        return _no_tensorflow(facts.packages)
    other_name = tensorflow.package not in (None, "tensorflow")
    version = tensorflow.version + (f" ({tensorflow.package})" if other_name else "")
    return join([version, _build(tensorflow)])


def _no_tensorflow(packages: Packages | None) -> str:
    if packages is None or not packages.complete:
        return ""
    return f"unknown version · {packages.unowned}" if packages.unowned else "not installed"


def _build(tensorflow: TensorFlow) -> str:
    if tensorflow.cuda_build is False:
        return "CPU build"
    cudnn = f"cuDNN {tensorflow.cudnn}" if tensorflow.cudnn else ""
    cuda = f"CUDA {tensorflow.cuda}" if tensorflow.cuda else ""
    built_with = ", ".join(part for part in (cuda, cudnn) if part)
    if built_with:
        return f"built with {built_with}"
    return "built with CUDA" if tensorflow.cuda_build else ""


def _format_import(deep: DeepImport | None) -> str:
    """What the child of --deep saw."""
    if deep is None or deep.version is None:
        return ""
    seen = None if deep.gpus is None else f"sees {', '.join(deep.gpus) or 'no GPU'}"
    took = f"in {deep.seconds:.1f} s" if deep.seconds is not None else None
    return join([f"TensorFlow {deep.version} {took or ''}".strip(), seen])


def _format_probes(results: tuple[ProbeResult, ...]) -> str:
    """`CPU · 9 of 9 probes passed`."""
    tried = [result for result in results if result.status != "skip"]
    if not tried:
        return ""
    passed = sum(result.status == "pass" for result in tried)
    devices = ", ".join(dict.fromkeys(result.device for result in tried))
    return join([devices, f"{passed} of {count(len(tried), 'probe')} passed"])


def _keras(facts: Facts) -> str:
    if not facts.packages:
        return ""
    copies = [(name, facts.packages.first(name)) for name in ("keras", "tf-keras")]
    return DOT.join(
        f"{'' if name == 'keras' else name + ' '}{copy.version}"
        for name, copy in copies
        if copy and copy.version
    )


def _gpus(gpus: tuple[Gpu, ...] | None) -> Iterator[Row]:
    """Equal GPUs share a line, so that eight of them do not fill the screen."""
    if gpus == ():
        yield "GPU", "none found"
    for _, group in groupby(gpus or (), key=lambda gpu: (gpu.name, gpu.memory_bytes)):
        alike = list(group)
        first = alike[0]
        many = f"{len(alike)} × " if len(alike) > 1 else ""
        capability = first.compute_capability
        yield (
            "GPU",
            join(
                [
                    many + (first.name or "unknown model"),
                    f"compute capability {capability}" if capability else None,
                    _memory(alike),
                ]
            ),
        )


def _memory(alike: list[Gpu]) -> str:
    total = alike[0].memory_bytes
    used = sorted(gpu.used_bytes for gpu in alike if gpu.used_bytes is not None)
    if not used:
        return size(total) if total else ""
    low, high = size(used[0]), size(used[-1])
    in_use = f"{low} in use" if low == high else f"{low} to {high} in use"
    return f"{size(total)}, {in_use}" if total else in_use


def _driver(driver: Driver | None) -> str:
    if not driver:
        return ""
    generic = ", ".join(driver.generic)
    if driver.absent:
        return f"{generic} (generic)" if generic else "none found"
    parted = driver.kernel_version and driver.kernel_version != driver.version
    return join(
        [
            driver.version or "no user-space library",
            f"kernel module {driver.kernel_version}" if parted else None,
            f"supports CUDA up to {driver.cuda}" if driver.cuda else None,
        ]
    )


def _libraries(libraries: CudaLibraries | None, tensorflow: TensorFlow | None) -> str:
    """The runtime, cuBLAS and cuDNN that the loader will take; a CPU build takes none."""
    if not libraries or (tensorflow and tensorflow.cuda_build is False):
        return ""
    cuda = tensorflow.cuda if tensorflow else None
    cudnn = tensorflow.cudnn if tensorflow else None
    wanted = {"cudart": cuda, "cublas": cuda, "cudnn": cudnn}
    loaded = [
        lib for name, need in wanted.items() if (lib := _find_loaded_library(libraries, name, need))
    ]
    if not loaded:
        needed = libraries.complete and tensorflow and tensorflow.cuda_build
        return "no libraries found" if needed else ""
    named = ", ".join(f"{_component(lib)} {lib.version or lib.soname}" for lib in loaded)
    ways = dict.fromkeys(_way(lib) for lib in loaded)
    return join([named, f"from {', '.join(way for way in ways if way)}"])


def _find_loaded_library(
    libraries: CudaLibraries, component: str, need: str | None
) -> Library | None:
    """The first that the loader meets, of the major version that TensorFlow asks for."""
    for library in libraries.candidates(component):
        _, _, major = library.soname.partition(".so.")
        if library.searched and (not need or not major or _same_major(major, need)):
            return library
    return None


def _same_major(soname: str, need: str) -> bool:
    try:
        return versions.same(versions.parse(soname), versions.parse(need), 1)
    except ValueError:  # facts from a file may hold anything
        return False


def _component(library: Library) -> str:
    return "runtime" if library.component == "cudart" else SPELLING[library.component]


def _way(library: Library) -> str:
    return "pip wheels" if library.package else library.found_by
