"""The library path leads to several CUDA installations that do not belong together."""

from collections.abc import Iterator

import msgspec

from fitguard.checks.derived import nvidia_wheels
from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import (
    BY_LIBRARY_PATH,
    cuda_of,
    find_installed_with,
    find_unused_fitting,
    fits,
    folder,
    label,
    quote_cuda_build,
    skip_stranger,
)
from fitguard.checks.derived.loaded import Loaded, whereabouts
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix, Severity
from fitguard.schema.software import CudaLibraries, Library
from fitguard.schema.versions import Version, parse, same, text

_MOST_CANDIDATES = 6


class Stray(msgspec.Struct, frozen=True):
    """A library that the loader takes from another CUDA than the runtime's."""

    library: Library
    cuda: Version


@check("FG207", "cuda-path-conflict", requires={"FG201", "FG208"})
def cuda_path_conflict(
    cuda_build: Build,
    libraries: CudaLibraries,
    loaded: dict[str, Loaded],
    wanted_sonames: dict[str, str],
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding | None:
    """
    ## What it means
    Several CUDA installations on one machine are normal. They become a conflict when the loader's
    path mixes them:

    - LD_LIBRARY_PATH leads to a CUDA whose names TensorFlow does not ask for, while the right one
      lies in a folder that the loader does not search;
    - the runtime comes from one CUDA and another library from a second one. That happens even
      across majors, for some names did not change: `libcusolver.so.11` is in CUDA 11 and in CUDA
      12, `libcurand.so.10` in 11, 12 and 13, `libcusparse.so.12` in 12 and 13;
    - LD_LIBRARY_PATH puts another version before the one that was installed for TensorFlow.

    The evidence lists what the loader meets, in its order. Toolkits that merely lie side by side,
    with the right one chosen, are not reported.

    ## Why training crashes
    A mix of majors fails when the second library looks for its own companions: *Could not load
    dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object
    file*, *undefined symbol*, `CUBLAS_STATUS_NOT_INITIALIZED`, a segmentation fault, or a GPU that
    is left out. It works in one shell and fails in the next, because the path differs.

    ## How to fix it
    Let all libraries come from one installation. With `tensorflow[and-cuda]` no toolkit is needed
    on LD_LIBRARY_PATH: take it off. Without it, LD_LIBRARY_PATH should name the one toolkit that
    TensorFlow was built for. Look into `~/.bashrc`, module files, conda's variables and Dockerfiles
    for the place where the variable is set.

    ## When this is wrong
    A newer minor of the same CUDA major, put first on purpose, works as a rule; the finding is then
    a warning. Folders whose CUDA version cannot be told are not judged.

    ## References
    - The loader's search order: <https://man7.org/linux/man-pages/man8/ld.so.8.html>
    - NVIDIA/tensorflow issues 55 and 110 (a system CUDA was mixed with that of the environment)
    """
    runtime = loaded.get("cudart")
    if runtime is not None:
        if knowledge.cuda.fit(runtime.version, cuda_build.cuda) == "other-name":
            skip_stranger(runtime, facts)
            right = find_unused_fitting(runtime, cuda_build, knowledge)
            return _wrong_toolkit(
                runtime, right, cuda_build, libraries, wanted_sonames, grave, facts
            )
        twins = _twin_wheels(facts, knowledge)
        strays = [
            stray
            for stray in _strays(runtime, libraries, wanted_sonames)
            if stray.library.package not in twins
        ]
        if strays:
            return _build_mixed_finding(
                runtime, strays, cuda_build, libraries, grave, facts, knowledge
            )
    for first in loaded.values():
        hidden = _find_hidden(first, cuda_build, knowledge)
        if hidden is not None:
            return _build_override_finding(first, hidden, cuda_build, libraries, facts)
    return None


def _wrong_toolkit(
    runtime: Loaded,
    right: Library | None,
    build: Build,
    libraries: CudaLibraries,
    wanted: dict[str, str],
    grave: Severity,
    facts: Facts,
) -> Finding | None:
    """The loader is led to another CUDA, and the right one lies unused."""
    if right is None:
        return None
    wrong = runtime.library
    out = (folder(wrong),) if wrong.found_by == BY_LIBRARY_PATH else ()
    instead = f" instead of {out[0]}" if out else ""
    folders = {folder(item): None for item in find_installed_with(right, libraries, wanted)}
    place = folder(right) if len(folders) == 1 else f"the folders of {label(right)}"
    return Finding(
        severity=grave,
        title=f"The loader is led to {label(wrong)}, while the {label(right)} for TensorFlow "
        f"{build.version} lies unused",
        evidence=(
            Evidence(f"{label(wrong)} ({wrong.soname})", runtime.source),
            Evidence(f"{label(right)} ({right.soname})", whereabouts(right)),
            quote_cuda_build(build),
        ),
        fix=Fix(
            text=f"Put {place} on LD_LIBRARY_PATH{instead} before Python starts.",
            commands=cuda_remedies.search(facts, libraries, first=folders, without=out),
        ),
    )


def _twin_wheels(facts: Facts, knowledge: Knowledge) -> set[str]:
    """Wheels that overwrite each other: package-duplicate speaks of them."""
    if facts.packages is None:
        return set()
    found = nvidia_wheels.clashes(facts.packages, facts, knowledge)
    return {package.name for clash in found for package in clash.packages}


def _strays(runtime: Loaded, libraries: CudaLibraries, wanted: dict[str, str]) -> Iterator[Stray]:
    """What the loader takes from another CUDA than the runtime's."""
    home = parse(runtime.version)
    for component, soname in wanted.items():
        named = [item for item in libraries.find_searched(component) if item.soname == soname]
        cuda = cuda_of(named[0], libraries) if named else None
        if cuda is not None and not same(cuda, home, 2):
            yield Stray(named[0], cuda)


def _build_mixed_finding(
    runtime: Loaded,
    strays: list[Stray],
    build: Build,
    libraries: CudaLibraries,
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> Finding:
    home = parse(runtime.version)
    majors = any(stray.cuda[0] != home[0] for stray in strays)
    names = " and ".join(stray.library.soname for stray in strays[:2])
    more = f" and {len(strays) - 2} more" if len(strays) > 2 else ""
    return Finding(
        severity=grave if majors else "warning",
        confidence="medium",
        title=f"{names}{more} will come from CUDA {text(strays[0].cuda)}, the runtime from "
        f"{label(runtime.library)}",
        evidence=(
            Evidence(f"{label(runtime.library)} ({runtime.library.soname})", runtime.source),
            *(
                Evidence(
                    f"{stray.library.soname} of CUDA {text(stray.cuda)}",
                    whereabouts(stray.library),
                )
                for stray in strays[: _MOST_CANDIDATES - 1]
            ),
            quote_cuda_build(build),
        ),
        fix=_one_installation(strays, build, libraries, facts, knowledge),
    )


def _one_installation(
    strays: list[Stray],
    build: Build,
    libraries: CudaLibraries,
    facts: Facts,
    knowledge: Knowledge,
) -> Fix:
    if all(stray.library.found_by == BY_LIBRARY_PATH for stray in strays):
        folders = tuple(dict.fromkeys(folder(stray.library) for stray in strays))
        return Fix(
            text=f"Remove {' and '.join(folders)} from LD_LIBRARY_PATH before Python starts.",
            commands=cuda_remedies.search(facts, libraries, without=folders),
        )
    whole = cuda_remedies.install(facts, knowledge, build)
    return msgspec.structs.replace(
        whole, text=f"All of them should come from one installation. {whole.text}"
    )


def _find_hidden(first: Loaded, build: Build, knowledge: Knowledge) -> Library | None:
    """What LD_LIBRARY_PATH hides: a file of the same name in another version that fits as well."""
    if first.library.found_by != BY_LIBRARY_PATH or not first.wanted:
        return None
    need = build.cudnn if first.library.component == "cudnn" else build.cuda
    own = parse(first.version)[:2]
    if same(own, parse(need), 2):
        return None
    for item in first.others:
        named = item.soname == first.library.soname and fits(item, build, knowledge)
        if named and not same(own, parse(item.version or ""), 2):
            return item
    return None


def _build_override_finding(
    first: Loaded, hidden: Library, build: Build, libraries: CudaLibraries, facts: Facts
) -> Finding:
    place = folder(first.library)
    named = [item for item in first.others if item.soname == first.library.soname]
    return Finding(
        severity="warning",
        confidence="medium",
        title=f"LD_LIBRARY_PATH puts {label(first.library)} before the {label(hidden)} that is "
        "there as well",
        evidence=(
            *(
                Evidence(f"{label(item)} ({item.soname})", whereabouts(item))
                for item in [first.library, *named][:_MOST_CANDIDATES]
            ),
            quote_cuda_build(build),
        ),
        fix=Fix(
            text=f"Remove {place} from LD_LIBRARY_PATH before Python starts; then {label(hidden)} "
            "is used, for all libraries alike.",
            commands=cuda_remedies.search(facts, libraries, without=(place,)),
        ),
    )
