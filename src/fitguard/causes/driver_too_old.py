"""The driver is older than the CUDA that TensorFlow uses."""

from fitguard.causes.derived import surroundings
from fitguard.causes.derived.bringing_cuda import release_of
from fitguard.causes.derived.cuinit import refusals
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix

_FAILED = ("cuinit-failed", "no-code-for-gpu", "invalid-ptx", "said-gpu-not-seen")


@cause("driver-too-old")
def driver_too_old(story: Story) -> Verdict | None:
    """
    ## What it means
    Every CUDA needs a driver of a certain age. A newer driver serves all older CUDAs; an older one
    does not support a newer CUDA (within one major, from CUDA 11 on, it mostly does). conda and pip
    install a new CUDA without asking which driver is there, so an update of TensorFlow may ask for
    more than the driver can give.

    ## How to be sure
    - *CUDA driver version is insufficient for CUDA runtime version* (error 35), or
      `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
    - `nvidia-smi` shows the driver and the newest CUDA that it serves. Compare that with the CUDA
      that TensorFlow was built with (`tf.sysconfig.get_build_info()`).

    ## How to fix it
    Install a newer driver, on the host if the run is in a container, on Windows if it is in WSL.
    Where that is not possible, use an older TensorFlow, or conda's build with an older cudatoolkit
    (`cudatoolkit=9.0`), that the driver serves.

    ## When this reading is wrong
    The same message comes where there is no driver at all: in a container that was started without
    the GPU, or when the kernel module is not loaded. If `nvidia-smi` fails, look there first. *The
    NVIDIA driver's CUDA version is older than the ptxas version* alone is harmless.

    ## References
    - NVIDIA, CUDA compatibility: <https://docs.nvidia.com/deploy/cuda-compatibility/>
    - NVIDIA, CUDA toolkit release notes, table of driver versions
    """
    finding = story.finding("driver-too-old")
    scales = Scales()
    scales.add(0.86, story.first("driver-insufficient"))
    scales.add(0.85, story.first("container-wants-newer-driver"))
    scales.add(0.65, story.first("said-driver-old"))
    if any(error == "COMPAT_NOT_SUPPORTED_ON_DEVICE" for _, error in refusals(story)):
        scales.add(0.45, story.first("cuinit-failed"))
    seen = (*unseen(story), *story.all(*_FAILED, "driver-insufficient"))
    if finding is not None and seen:
        scales.add(0.65, finding, *seen[:1])
    if story.has("no-device-file", "kernel-driver-not-running", "nvidia-smi-failed"):
        scales.take(0.5)
    return scales.verdict(why=_why(story, finding), fix=_fix(story, finding))


def _why(story: Story, finding: Finding | None) -> str:
    if finding is not None:
        return f"{finding.title}."
    if wanted := story.first("container-wants-newer-driver"):
        need = wanted.values.get("needed") or wanted.values.get("release")
        found = wanted.values.get("found")
        return f"The image needs driver {need}" + (f", the host has {found}." if found else ".")
    return "CUDA itself says that the driver is older than the runtime that was loaded."


def _fix(story: Story, finding: Finding | None) -> Fix:
    if finding is not None:
        return finding.fix
    release = release_of(story)
    windows = surroundings.is_windows(story) or surroundings.is_wsl(story)
    least = knowledge().drivers.least(release.cuda, windows=windows) if release else None
    aim = f"driver {least} or newer" if least else "a newer driver"
    reason = f" (TensorFlow {release.version} uses CUDA {release.cuda})" if release else ""
    where = (
        " on the host, not in the container"
        if surroundings.container(story) is not None
        else " on Windows itself, not inside WSL"
        if surroundings.is_wsl(story)
        else ""
    )
    return Fix(
        text=f"Install {aim}{where}{reason}, then restart. If you cannot change the driver, use an "
        "older TensorFlow, or with conda an older cudatoolkit, that it supports.",
        commands=("nvidia-smi",),
    )
