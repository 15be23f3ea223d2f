"""The GPU is too old or too new for this TensorFlow, this CUDA or this cuDNN."""

from fitguard.causes.derived.bringing_cuda import release_of
from fitguard.causes.derived.unseen import unseen
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.knowledge import knowledge
from fitguard.knowledge.tensorflow import Release, code_for
from fitguard.schema.crash import Story
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.versions import parse

_FINDINGS = ("gpu-arch-too-new", "gpu-arch-too-old", "cudnn-dropped-arch", "driver-dropped-gpu")
_KERNELS_FAIL = (
    "invalid-handle",
    "invalid-ptx",
    "no-code-for-gpu",
    "jit-compilation-failed",
    "blas-launch-failed",
    "cublas-handle-failed",
    "cudnn-execution-failed",
    "cudnn-handle-failed",
    "conv-algorithm-failed",
    "launch-failed",
)


@cause("gpu-arch-unsupported")
def gpu_arch_unsupported(story: Story) -> Verdict | None:
    """
    ## What it means
    A wheel holds machine code for some compute capabilities, and intermediate code (PTX) that the
    driver compiles for newer GPUs. A GPU older than the oldest in the wheel is left out: *Ignoring
    visible gpu device … The minimum required Cuda capability is 3.5*. One that is newer than the
    newest lives from PTX. That takes up to half an hour at the first run, and may fail:
    `CUDA_ERROR_INVALID_PTX`, `CUDA_ERROR_INVALID_HANDLE`, *no kernel image is available*. CUDA's
    own libraries and cuDNN drop old GPUs too.

    ## How to be sure
    - The log names the capability, or `nvidia-smi --query-gpu=compute_cap --format=csv` does.
    - `fitguard doctor` compares it with what this TensorFlow carries.

    ## How to fix it
    Old GPU: install the newest TensorFlow that still has code for it, with its CUDA. New GPU:
    install a TensorFlow built with a CUDA that knows it, or NVIDIA's NGC container, or build from
    source for this capability. For a first run from PTX, wait, and make the driver's cache large:
    `CUDA_CACHE_MAXSIZE=2147483648`.

    ## When this reading is wrong
    *Not built with CUDA kernel binaries compatible with compute capability …* is only a warning
    where the driver can compile the PTX: training begins late and then runs. A driver older than
    the PTX fails with *unsupported toolchain*: update the driver.

    ## References
    - NVIDIA, compute capabilities: <https://developer.nvidia.com/cuda-gpus>
    - `tensorflow/core/common_runtime/gpu/gpu_device.cc`
    """
    finding = story.finding(*_FINDINGS)
    unfit = story.first("not-built-for-capability")
    capability = _capability(story)
    scales = Scales()
    scales.add(0.95, story.first("gpu-ignored-for-capability"))
    scales.add(0.86, story.first("no-code-for-gpu"))
    scales.add(0.7, story.first("invalid-ptx"))
    scales.add(0.5, story.first("invalid-handle"))
    scales.add(0.75 if _ptx_fails(capability) else 0.5, unfit)
    scales.add(0.5, story.first("gpu-ignored-for-size"))
    scales.add(0.5, story.first("ptxas-knows-no-such-gpu"))
    scales.add(0.3, story.first("jit-compilation-failed"))
    scales.add(0.55, story.first("said-gpu-too-new-or-old"))
    compiled_late = story.finding("gpu-arch-jit") or finding
    scales.add(0.6 if compiled_late else 0.3, story.first("said-slow-start"))
    scales.add(0.6 if finding else 0.3, story.first("said-gpu-does-not-work"))
    if finding is not None:
        # Alone it proves nothing; it says why a kernel failed, or why no GPU is listed.
        scales.add(0.55 if story.has(*_KERNELS_FAIL) else 0, finding, story.first(*_KERNELS_FAIL))
        scales.add(0.7 if unseen(story) else 0, finding, *unseen(story)[:1])
    if story.has("training-finished"):
        scales.take(0.7)
    return scales.verdict(
        why=_why(story, finding, capability), fix=_fix(story, finding, capability)
    )


def _capability(story: Story) -> str | None:
    """Of the GPU: as a line names it, or as the facts do."""
    told = story.first("gpu-ignored-for-capability", "not-built-for-capability")
    if told is not None and (number := told.values.get("capability")):
        return number.replace(", ", ".").rstrip("af")
    return next((gpu.compute_capability for gpu in story.facts.gpus or ()), None)


def _ptx_fails(capability: str | None) -> bool:
    """Whether releases are known whose PTX does not run on such a GPU."""
    rows = knowledge().cuda.ptx_failures_table.rows
    return capability is not None and any(
        parse(capability) >= parse(row.capability_from) for row in rows
    )


def _why(story: Story, finding: Finding | None, capability: str | None) -> str:
    if ignored := story.first("gpu-ignored-for-capability"):
        return (
            f"The GPU has compute capability {ignored.values['capability']}, this TensorFlow "
            f"wants at least {ignored.values['least']} and leaves it out."
        )
    if finding is not None:
        return f"{finding.title}."
    of = f" of compute capability {capability}" if capability else ""
    return f"The program holds no code that runs on this GPU{of}."


def _fix(story: Story, finding: Finding | None, capability: str | None) -> Fix:
    if finding is not None:
        return finding.fix
    if small := story.first("gpu-ignored-for-size"):
        return Fix(
            text="TensorFlow leaves out GPUs with far fewer multiprocessors than the others. To "
            f"use this one, too, lower the limit from {small.values['least']}.",
            commands=(f"export TF_MIN_GPU_MULTIPROCESSOR_COUNT={small.values['count']}",),
        )
    look = ("nvidia-smi --query-gpu=name,compute_cap --format=csv",)
    if capability is None:
        return Fix(
            text="Find the GPU's compute capability, and take a TensorFlow that has code for it: "
            "an older release for an old GPU, a newer one, or NVIDIA's container, for a new GPU.",
            commands=(*look, "fitguard resolve"),
        )
    newest = _newest_for(capability)
    if newest is None:
        container = knowledge().tensorflow.nvidia_container
        return Fix(
            text=f"No released wheel has machine code for compute capability {capability}: use "
            f"{container} if the GPU is new, or build TensorFlow for it.",
            commands=look,
        )
    now = release_of(story)
    instead = f" instead of {now.version}" if now is not None else ""
    return Fix(
        text=f"Install TensorFlow {newest.version}{instead}: the newest with machine code for "
        f"compute capability {capability}. It uses CUDA {newest.cuda} and cuDNN {newest.cudnn}, on "
        f"Python up to {knowledge().newest_python(newest)}.",
        commands=(f'python -m pip install "{newest.gpu_package}=={newest.version}"',),
    )


def _newest_for(capability: str) -> Release | None:
    """The newest release whose wheel and CUDA both serve this GPU."""
    fitting = [
        release
        for release in knowledge().tensorflow.all
        if code_for(release.sass, release.ptx, capability) == "sass"
        and knowledge().cuda.serves(release.cuda, capability)
        and _cudnn_serves(release, capability)
    ]
    return fitting[-1] if fitting else None


def _cudnn_serves(release: Release, capability: str) -> bool:
    least = knowledge().cudnn.least_capability(release.cudnn, release.cuda)
    return least is None or parse(capability) >= parse(least)
