"""Several CUDA installations are there, and the loader takes the wrong one first."""

from fitguard.causes.derived.library_names import component
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix

_FINDINGS = ("cuda-path-conflict", "wrong-library-first")
_TROUBLE = (
    "library-missing",
    "import-needs-library",
    "cudnn-version-mismatch",
    "dnn-not-found",
    "symbol-missing",
    "gpu-not-listed",
    "said-gpu-not-seen",
    "skipping-gpu-registration",
    "cudnn-parts-mismatch",
)


@cause("cuda-path-conflict")
def cuda_path_conflict(story: Story) -> Verdict | None:
    """
    ## What it means
    The loader searches LD_LIBRARY_PATH (on Windows: PATH) from left to right, then the folders that
    TensorFlow names itself, then the system's. With several toolkits, a conda environment, pip's
    NVIDIA wheels or a cluster's modules, a library of one CUDA can come together with a library of
    another. Functions are then missing, versions do not match, or the one that fits is never found.

    ## How to be sure
    - `undefined symbol: cublasLt…, version libcublasLt.so.11` names a library that was paired with
      a stranger.
    - `fitguard doctor` lists the libraries in the loader's order, with the folder each comes from.
    - `LD_DEBUG=libs python -c "import tensorflow"` shows the search itself.

    ## How to fix it
    Leave one CUDA on the path: remove the other toolkits' folders from LD_LIBRARY_PATH, or put the
    right one first. From TensorFlow 2.14 on the simplest way is to unset LD_LIBRARY_PATH and let
    `tensorflow[and-cuda]` use its own wheels. Folders named `stubs` hold no real driver library and
    never belong on the path. `/usr/local/cuda` is a link: see where it leads.

    ## When this reading is wrong
    If the log only says that a file is missing, and there is one CUDA, then that CUDA is of another
    version (cuda-missing). If the log names two cuDNN versions, the one loaded may be the only one
    there is (cudnn-mismatch).

    ## References
    - The loader's search order: <https://man7.org/linux/man-pages/man8/ld.so.8.html>
    """
    finding = story.finding(*_FINDINGS)
    trouble = story.first(*_TROUBLE)
    scales = Scales()
    scales.add(0.75, story.first("symbol-missing"))
    scales.add(0.65, story.first("said-several-cudas"))
    scales.add(0.45, story.first("said-path-not-set"))
    scales.add(0.5, story.first("said-torch-beside"))
    scales.add(0.4, story.first("said-other-copy-imported"), story.first("dnn-not-found"))
    scales.add(0.5, story.first("cudnn-parts-mismatch", "cudnn-incompatible"))
    if trouble is not None and finding is not None:
        scales.add(0.6, finding, trouble)
    _weigh_present(scales, story)
    scales.add(0.25, story.first("cudnn-version-mismatch"), story.first("library-file-broken"))
    for signal in story.all("cuinit-failed"):
        if "STUB" in signal.values.get("error", "") or "(34)" in signal.values.get("error", ""):
            scales.add(0.6, signal)
    return scales.verdict(why=_why(story, finding), fix=_fix(finding))


def _weigh_present(scales: Scales, story: Story) -> None:
    """A library is missing, though the CUDA that holds it is said to be installed."""
    libraries = story.facts.libraries
    names = {item.soname for item in libraries.found} if libraries is not None else set()
    for signal in story.all("library-missing", "import-needs-library"):
        wanted = signal.values["library"]
        if wanted in names or (component(wanted) == "cudnn" and story.has("library-opened")):
            scales.add(0.35 if wanted in names else 0.2, signal)
            return


def _why(story: Story, finding: Finding | None) -> str:
    if finding is not None:
        return f"{finding.title}."
    if symbol := story.first("symbol-missing"):
        return (
            f"A library was loaded that lacks {symbol.values['symbol']}: it is of another version "
            "than the one that calls it."
        )
    if story.has("said-several-cudas"):
        return "Several CUDAs are described, and the loader takes another than TensorFlow needs."
    return "The libraries may be there, in a folder that comes too late or is not searched."


def _fix(finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    return Fix(
        text="Put the folder of the CUDA that TensorFlow was built with first on LD_LIBRARY_PATH "
        "(on Windows: PATH) and remove those of other toolkits and all `stubs` folders, "
        "before Python starts. `fitguard doctor` shows what the loader takes, in its order.",
        commands=("fitguard doctor",),
    )
