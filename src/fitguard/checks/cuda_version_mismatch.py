"""The CUDA that the loader finds is not the one that this TensorFlow asks for."""

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import file_name, label, skip_stranger
from fitguard.checks.derived.loaded import Loaded
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.cuda import CudaFit
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Severity
from fitguard.schema.software import CudaLibraries
from fitguard.schema.versions import older, parse, text


@check("FG202", "cuda-version-mismatch", requires={"FG201", "FG207", "FG208"})
def cuda_version_mismatch(
    cuda_build: Build,
    cuda: Loaded,
    libraries: CudaLibraries,
    wanted_sonames: dict[str, str],
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    TensorFlow opens CUDA's libraries by names that hold a version, and it takes no other name:

    - up to CUDA 10 the name holds major and minor (`libcudart.so.10.1`), so both must be equal;
    - CUDA 11.0 has `libcusolver.so.10`, all later 11.x have `libcusolver.so.11`: a TensorFlow built
      with 11.0 (2.4) does not run on 11.1 and later, one built with 11.2 or 11.8 not on 11.0;
    - otherwise the major counts (`libcudart.so.12`). A newer minor of the same major is fine. An
      older one is found too, but may lack functions that TensorFlow calls.

    The figure that `nvidia-smi` shows as *CUDA Version* is what the driver can serve. It says
    nothing about which CUDA libraries are installed.

    ## Why training crashes
    With another name the library is not found: *Could not load dynamic library 'libcudart.so.11.0'*
    and *Cannot dlopen some GPU libraries*; training runs on the CPU. With an older minor the GPU is
    used until a function is missing: *undefined symbol*, `CUBLAS_STATUS_NOT_SUPPORTED`, an abort.

    ## How to fix it
    Install the CUDA that this TensorFlow was built with. Several CUDAs can live side by side, so
    the other one may stay. From 2.14 on `tensorflow[and-cuda]` brings the right one, whatever the
    system has. Links such as `libcusolver.so.10 -> libcusolver.so.11` are no remedy: they hand over
    functions that TensorFlow was not compiled for.

    ## When this is wrong
    A TensorFlow built from source may ask for another CUDA than the release of that version did;
    its own files decide where they can be read. An older minor of the same major may well do for
    your model: NVIDIA promises compatibility for drivers, not for older libraries under a program
    that was built with newer ones. The finding is then a warning.

    ## References
    - TensorFlow, tested build configurations: <https://www.tensorflow.org/install/source#gpu>
    - NVIDIA, CUDA compatibility: <https://docs.nvidia.com/deploy/cuda-compatibility/>
    """
    fit = _fit(cuda, cuda_build, libraries, wanted_sonames, knowledge)
    if fit == "fits":
        return None
    skip_stranger(cuda, facts)
    found, need = label(cuda.library), text(parse(cuda_build.cuda), 2)
    tensorflow = f"TensorFlow {cuda_build.version}"
    renamed = _find_renamed_library(cuda, cuda_build, knowledge)
    asked = file_name(renamed or wanted_sonames["cudart"], facts)
    if fit == "older":
        title = f"{found} is older than the {need} that {tensorflow} was built with"
    elif renamed:
        title = f"{tensorflow} needs {asked} of CUDA {need}; {found} has none"
    else:
        title = f"{tensorflow} needs CUDA {need}, and the loader finds {found}"
    own = file_name(cuda.library.soname, facts)
    asks = "" if fit == "older" else f" and asks for {asked}"
    return Finding(
        severity="warning" if fit == "older" else grave,
        confidence="medium" if fit == "older" else "high",
        title=title,
        evidence=(
            Evidence(f"{found} ({own})", cuda.source),
            Evidence(f"{tensorflow} is built with CUDA {need}{asks}", cuda_build.origin),
        ),
        fix=cuda_remedies.replace(facts, knowledge, cuda_build, libraries, cuda),
    )


def _fit(
    cuda: Loaded,
    build: Build,
    libraries: CudaLibraries,
    wanted: dict[str, str],
    knowledge: Knowledge,
) -> CudaFit:
    """The rule for the versions; where all names lead somewhere (by links, say), only the age."""
    fit = knowledge.cuda.fit(cuda.version, build.cuda)
    if fit != "other-name" or not cuda.wanted:
        return fit
    if parse(cuda.version)[0] != parse(build.cuda)[0] or not _all_found(libraries, wanted):
        return fit
    return "older" if older(parse(cuda.version)[:2], parse(build.cuda)[:2]) else "fits"


def _all_found(libraries: CudaLibraries, wanted: dict[str, str]) -> bool:
    return libraries.complete and all(
        any(item.soname == soname for item in libraries.find_searched(component))
        for component, soname in wanted.items()
        if component != "cudnn"
    )


def _find_renamed_library(cuda: Loaded, build: Build, knowledge: Knowledge) -> str | None:
    """The library that has another name in this CUDA, though the runtime has the same."""
    own, wanted = knowledge.cuda.sonames(cuda.version), knowledge.cuda.sonames(build.cuda)
    if own.get("cudart") != wanted.get("cudart"):
        return None
    return next((name for key, name in wanted.items() if own.get(key) != name), None)
