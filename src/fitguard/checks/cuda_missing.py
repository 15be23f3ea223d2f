"""TensorFlow will not find the CUDA libraries that it asks for, and leaves the GPU out."""

from collections.abc import Mapping

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import (
    cuda_of,
    file_name,
    find_installed_with,
    quote_cuda_build,
    skip_without_gpu,
)
from fitguard.checks.derived.loaded import whereabouts
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import CudaLibraries, Library, TensorFlow
from fitguard.schema.versions import parse, text


@check("FG201", "cuda-missing")
def cuda_missing(
    tensorflow: TensorFlow,
    cuda_build: Build,
    libraries: CudaLibraries,
    wanted_sonames: dict[str, str],
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    A TensorFlow built with CUDA opens the CUDA libraries by name when it first looks for GPUs:
    the runtime (`libcudart`), cuBLAS, cuFFT, cuSOLVER, cuSPARSE, up to 2.12 cuRAND too. The loader
    looks in LD_LIBRARY_PATH, in the folders that TensorFlow names (RUNPATH), in ld.so.cache and in
    the system's folders.
    This check walks the same way, and found that at least one of those names leads nowhere.

    Plain `pip install tensorflow` brings no CUDA. From 2.14 on `tensorflow[and-cuda]` does. Earlier
    releases have no such extra, 2.12 and 2.13 included: pip prints *does not provide the extra
    'and-cuda'* and goes on without CUDA.

    ## Why training crashes
    It seldom crashes: one missing library is enough for TensorFlow to leave out all GPUs and to
    train on the CPU. The log says *Could not load dynamic library 'libcusolver.so.11'*, then
    *Cannot dlopen some GPU libraries … Skipping registering GPU devices*. Newer releases name the
    library only with `TF_CPP_MAX_VLOG_LEVEL=3`. Code that asks for `/GPU:0` stops.

    ## How to fix it
    Where the library lies on the disk, in a folder that the loader does not search, name that
    folder in LD_LIBRARY_PATH before Python starts; setting it inside the program is too late. Else
    install the CUDA that TensorFlow was built with: with pip from 2.14 on, with conda or from
    NVIDIA's archives before. The driver alone is not enough: it brings `libcuda` and none of these.

    ## When this is wrong
    A program that opens the libraries itself before TensorFlow does needs no search path. Builds
    that have CUDA linked into them (some of NVIDIA's and Jetson's) ask for fewer names. On a
    machine without a GPU the check is skipped.

    ## References
    - TensorFlow, install with pip: <https://www.tensorflow.org/install/pip>
    - The loader's search order: <https://man7.org/linux/man-pages/man8/ld.so.8.html>
    - tensorflow/tensorflow issue 63362 (2.16.1 does not find the wheels of its own extra)
    - RUNPATH of libtensorflow_framework.so.2 in the wheel of 2.21.0, which leaves cuSOLVER out; on
      an H200 `tensorflow[and-cuda]==2.21.0` alone registers no GPU
    """
    skip_without_gpu(facts)
    if _has_unknown_extra(tensorflow, libraries, knowledge):
        return _no_such_extra(tensorflow, cuda_build, facts, knowledge)
    gone = libraries.lack("cudart")
    if gone is None and not libraries.complete:
        return _unreachable(tensorflow, libraries, facts, knowledge)
    if gone is not None:
        missing = {"cudart": wanted_sonames["cudart"]}
        source = gone
    else:
        missing = _missing_beside_runtime(libraries, wanted_sonames, cuda_build, knowledge)
        source = "all places where the loader looks"
    if not missing:
        return None
    unused = _find_unused(libraries, missing)
    if gone and unused:
        unused = list(find_installed_with(unused[0], libraries, wanted_sonames))
    return Finding(
        title=_title(cuda_build, missing, whole=gone is not None),
        evidence=(
            *(Evidence(f"no {file_name(item, facts)}", source) for item in missing.values()),
            *(Evidence(item.soname, whereabouts(item)) for item in _one_of_each(unused)[:3]),
            quote_cuda_build(cuda_build),
        ),
        fix=_fix(cuda_build, libraries, missing, unused, facts, knowledge),
    )


def _has_unknown_extra(
    tensorflow: TensorFlow, libraries: CudaLibraries, knowledge: Knowledge
) -> bool:
    asked = "and-cuda" in (tensorflow.extras or ())
    held = bool(libraries.find_searched("cudart"))
    return asked and not held and not knowledge.cuda.has_and_cuda(tensorflow.version)


def _no_such_extra(
    tensorflow: TensorFlow, build: Build, facts: Facts, knowledge: Knowledge
) -> Finding:
    table = knowledge.cuda.pins_table
    return Finding(
        title=f"TensorFlow {tensorflow.version} has no and-cuda extra, so pip brought no CUDA",
        evidence=(
            Evidence(f"tensorflow[and-cuda]=={tensorflow.version}", tensorflow.origin),
            Evidence("the first release whose and-cuda extra brings CUDA is 2.14", table.reference),
            quote_cuda_build(build),
        ),
        fix=cuda_remedies.install(facts, knowledge, build),
    )


def _unreachable(
    tensorflow: TensorFlow, libraries: CudaLibraries, facts: Facts, knowledge: Knowledge
) -> Finding:
    """Wheels that a release is known not to look into.

    A warning: whether LD_LIBRARY_PATH leads there all the same is not known.

    Raises:
        Missing: where nothing of that kind is known.
    """
    row = knowledge.cuda.unreachable(tensorflow.version)
    unused = [
        library
        for component in (row.components if row else ())
        for library in libraries.find_unused(component)
        if library.package and not libraries.find_searched(component)
    ]
    if row is None or not unused:
        raise Missing("whether CUDA is missing is not known")
    names = ", ".join(item.soname for item in unused[:3]) + (" …" if len(unused) > 3 else "")
    return Finding(
        severity="warning",
        title=f"TensorFlow {tensorflow.version} does not look into all of its own wheels: {names}",
        evidence=(
            Evidence(f"tensorflow[and-cuda]=={tensorflow.version}", tensorflow.origin),
            Evidence(row.source, knowledge.cuda.unreachable_table.reference),
        ),
        fix=Fix(
            text="Put the folders of those wheels on LD_LIBRARY_PATH before Python starts, or use "
            "another release of TensorFlow.",
            commands=cuda_remedies.search_wheels(facts, unused),
        ),
    )


def _missing_beside_runtime(
    libraries: CudaLibraries, wanted: Mapping[str, str], build: Build, knowledge: Knowledge
) -> dict[str, str]:
    """The names that lead nowhere, while the runtime's own leads to a CUDA that has such names."""
    runtime = [
        item for item in libraries.find_searched("cudart") if item.soname == wanted["cudart"]
    ]
    version = cuda_of(runtime[0], libraries) if runtime else None
    if version is None or knowledge.cuda.fit(text(version), build.cuda) == "other-name":
        # Another CUDA than the one asked for: cuda-version-mismatch speaks of that.
        return {}
    return {
        component: soname
        for component, soname in wanted.items()
        if component not in ("cudart", "cudnn")
        and not any(item.soname == soname for item in libraries.find_searched(component))
    }


def _find_unused(libraries: CudaLibraries, wanted: Mapping[str, str]) -> list[Library]:
    """What bears a wanted name and lies where the loader does not look."""
    return [
        item
        for component, soname in wanted.items()
        for item in libraries.find_unused(component)
        if item.soname == soname
    ]


def _one_of_each(unused: list[Library]) -> list[Library]:
    first: dict[str, Library] = {}
    for library in unused:
        first.setdefault(library.soname, library)
    return list(first.values())


def _title(build: Build, missing: Mapping[str, str], *, whole: bool) -> str:
    if whole:
        cuda = text(parse(build.cuda), 2)
        return f"TensorFlow {build.version} needs CUDA {cuda}, and the loader finds no CUDA at all"
    names = list(missing.values())
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"TensorFlow {build.version} will not find {shown}"


def _fix(
    build: Build,
    libraries: CudaLibraries,
    missing: Mapping[str, str],
    unused: list[Library],
    facts: Facts,
    knowledge: Knowledge,
) -> Fix:
    there = {item.component for item in unused}
    if missing.keys() <= there:
        return cuda_remedies.look_there(facts, libraries, _one_of_each(unused))
    return cuda_remedies.install(facts, knowledge, build)
