"""A CUDA runtime or cuDNN that does not fit is found before one that does."""

import msgspec

from fitguard.checks.derived.build import Build
from fitguard.checks.derived.cuda_libraries import (
    BY_LIBRARY_PATH,
    find_installed_with,
    fits,
    folder,
    format_build,
    label,
    surely_fits,
)
from fitguard.checks.derived.loaded import Loaded, whereabouts
from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Confidence, Evidence, Finding, Fix, Severity
from fitguard.schema.software import CudaLibraries, Library

_MOST_CANDIDATES = 6


@check("FG208", "wrong-library-first")
def wrong_library_first(
    cuda_build: Build,
    libraries: CudaLibraries,
    loaded: dict[str, Loaded],
    wanted_sonames: dict[str, str],
    grave: Severity,
    facts: Facts,
    knowledge: Knowledge,
) -> list[Finding]:
    """
    ## What it means
    Several files bear the very name that TensorFlow asks for, `libcudnn.so.8` say. The loader takes
    the first one it meets and looks no further: LD_LIBRARY_PATH, then what TensorFlow names itself
    (RUNPATH: the wheels that pip installed), then ld.so.cache, then the system's folders. The first
    one here does not fit this TensorFlow. Another one, further on or in a folder that the loader
    does not search, does.

    ## Why training crashes
    What you installed last is not what runs. TensorFlow logs *Loaded runtime CuDNN library: 8.0.4
    but source was compiled with: 8.1.0* although 8.1 is installed, or it stops with *DNN library is
    not found*, *undefined symbol* or a segmentation fault.

    ## How to fix it
    Remove the folder of the wrong one from LD_LIBRARY_PATH, or put the folder of the right one
    before it. LD_LIBRARY_PATH is often set in `~/.bashrc`, in a conda environment (`conda env
    config vars list`), in a module file or in a Dockerfile: change it there to make it last.

    ## When this is wrong
    Where LD_PRELOAD or another framework in the same process opens its own copy first, that copy
    counts. Under `sudo`, in cron jobs and in notebooks LD_LIBRARY_PATH may differ from that of the
    shell; run `fitguard doctor` in the place where training runs.

    ## References
    - The loader's search order: <https://man7.org/linux/man-pages/man8/ld.so.8.html>
    - google-research/deeplab2 issue 66 (an older cuDNN was found first)
    """
    found: dict[str, Finding] = {}
    for first in loaded.values():
        if not first.wanted or fits(first.library, cuda_build, knowledge):
            continue
        named = [
            item for item in (*first.others, *first.unused) if item.soname == first.library.soname
        ]
        right = next((item for item in named if surely_fits(item, cuda_build, knowledge)), None)
        if right is not None:
            fix = _fix(
                first.library, right, named, cuda_build, libraries, wanted_sonames, facts, knowledge
            )
            finding = _finding(first, right, named, fix, cuda_build, grave, knowledge)
            found[label(first.library)] = finding
    fixes = {finding.fix.commands for finding in found.values()}
    if len(found) == 2 and len(fixes) == 1 and () not in fixes:
        return [_merge_findings(found, cuda_build)]
    return list(found.values())


def _merge_findings(found: dict[str, Finding], build: Build) -> Finding:
    """Runtime and cuDNN in one finding, where one change of the path fixes both."""
    runtime, cudnn = found.values()
    return msgspec.structs.replace(
        cudnn,
        title=f"{' and '.join(found)} are found first; those that TensorFlow {build.version} can "
        "use come after them",
        evidence=tuple(dict.fromkeys((*runtime.evidence, *cudnn.evidence))),
    )


def _finding(
    first: Loaded,
    right: Library,
    named: list[Library],
    fix: Fix,
    build: Build,
    grave: Severity,
    knowledge: Knowledge,
) -> Finding:
    wrong = first.library
    place = "comes after it" if right.searched else "lies unused"
    severity, confidence = _weight(first, build, grave, knowledge)
    return Finding(
        severity=severity,
        confidence=confidence,
        title=f"{label(wrong)} is found first; the {label(right)} that TensorFlow {build.version} "
        f"can use {place}",
        evidence=(
            *(
                Evidence(f"{label(item)} ({item.soname})", whereabouts(item))
                for item in [wrong, *named][:_MOST_CANDIDATES]
            ),
            Evidence(
                f"TensorFlow {build.version} is built with {format_build(build)}", build.origin
            ),
        ),
        fix=fix,
    )


def _weight(
    first: Loaded, build: Build, grave: Severity, knowledge: Knowledge
) -> tuple[Severity, Confidence]:
    """An older minor of CUDA may do; all else does not."""
    if first.library.component == "cudart":
        if knowledge.cuda.fit(first.version, build.cuda) == "older":
            return "warning", "medium"
        return grave, "high"
    return grave, "medium" if build.cudnn_uncertain else "high"


def _fix(
    wrong: Library,
    right: Library,
    named: list[Library],
    build: Build,
    libraries: CudaLibraries,
    wanted: dict[str, str],
    facts: Facts,
    knowledge: Knowledge,
) -> Fix:
    """Take away what stands before the right one; where that cannot be, put the right one first."""
    before = [wrong, *(named[: named.index(right)] if right.searched else ())]
    misfits = [item for item in before if not fits(item, build, knowledge)]
    if right.searched and all(item.found_by == BY_LIBRARY_PATH for item in misfits):
        folders = tuple(folder(item) for item in misfits)
        return Fix(
            text=f"Remove {' and '.join(dict.fromkeys(folders))} from LD_LIBRARY_PATH before "
            f"Python starts; then {label(right)} is found.",
            commands=cuda_remedies.search(facts, libraries, without=folders),
        )
    if not right.path.startswith("/"):
        return Fix(text=f"Lead the loader to {label(right)}, before {label(wrong)}.")
    together = (right,) if right.searched else find_installed_with(right, libraries, wanted)
    return Fix(
        text=f"Put {folder(right)} first on LD_LIBRARY_PATH before Python starts.",
        commands=cuda_remedies.search(facts, libraries, first=map(folder, together)),
    )
