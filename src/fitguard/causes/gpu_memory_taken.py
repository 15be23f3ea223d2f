"""Another process, or TensorFlow's own preallocation, holds the GPU memory that is needed."""

from fitguard.causes.derived.card_at_start import full_card, shrinking, whole_card
from fitguard.causes.derived.gpu_memory import GpuMemory, gpu_memory
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Finding, Fix
from fitguard.shell import set_variable

_HANDLES = {
    "cublas-handle-failed": 0.72,
    "cudnn-handle-failed": 0.7,
    "conv-algorithm-failed": 0.65,
    "blas-launch-failed": 0.65,
    "library-handle-failed": 0.65,
    "cudnn-dropout-failed": 0.66,
    "cudnn-internal-error": 0.62,
    "cudnn-launch-failed": 0.5,
    "no-algorithm-worked": 0.45,
    "gpu-sync-failed": 0.5,
    "dnn-not-found": 0.35,
    "cublas-routine-failed": 0.3,
}
"""A library could not set itself up on the GPU."""
_UNTOLD = {
    "cuda-out-of-memory": 0.45,
    "dst-tensor": 0.4,
    "pinned-memory-refused": 0.25,
    "words-out-of-memory": 0.2,
}
"""Memory ran out, and nothing says who had it."""
_VERSIONS = (
    "cudnn-too-old",
    "cudnn-major-mismatch",
    "cudnn-too-new",
    "cudnn-dropped-arch",
    "wrong-library-first",
    "cuda-path-conflict",
    "driver-too-old",
    "gpu-arch-too-new",
    "gpu-arch-too-old",
)
"""Findings of the doctor that explain a library which does not start better than memory does.

That a library is missing is none of them: one that does not start was found."""
_MISMATCHES = ("cudnn-version-mismatch", "library-missing", "driver-insufficient")
_OTHER_STATUS = ("MISMATCH", "NOT_SUPPORTED", "LICENSE")


@cause("gpu-memory-taken")
def gpu_memory_taken(story: Story) -> Verdict | None:
    """
    ## What it means
    The model would fit, but the memory is not there. Another process has it (a notebook that is
    still open, a run that hung, another user), or TensorFlow itself took nearly all of the card at
    its start and left nothing for cuDNN and cuBLAS, which take their memory outside of its pool.

    ## How to be sure
    - `nvidia-smi` before the start shows memory in use.
    - *Created device … with 67 MB memory*: TensorFlow got only what others left.
    - *failed to allocate 10.2G … from device*, right at the start, then smaller and smaller sizes.
    - *Could not create cudnn handle*, *Failed to get convolution algorithm*, *Blas GEMM launch
      failed*, CUBLAS_STATUS_NOT_INITIALIZED: with versions that fit together this is memory. With
      `TF_FORCE_GPU_ALLOW_GROWTH=true` it runs.

    ## How to fix it
    Shut down other notebooks and processes on the card, or choose another card with
    `CUDA_VISIBLE_DEVICES`. Set `TF_FORCE_GPU_ALLOW_GROWTH=true` (in code:
    `tf.config.experimental.set_memory_growth(gpu, True)`) before TensorFlow touches the GPU. On a
    Jetson the GPU shares the memory of the system: close the desktop and the browser.

    ## When this reading is wrong
    - A line *Loaded runtime CuDNN library … but source was compiled with …*, or a finding of
      `fitguard doctor` on CUDA or cuDNN, tells of versions: *cudnn-mismatch*, *cuda-missing*.
    - A GPU newer than the CUDA that TensorFlow was built with fails in cuBLAS too:
      *gpu-arch-unsupported*.
    - An empty card and a large tensor: *gpu-oom*.

    ## References
    - TensorFlow, use a GPU: limiting GPU memory growth
    - tensorflow/tensorflow#24496 and #24828: most reports were cured by memory growth
    """
    memory = gpu_memory(story)
    scales = Scales()
    handle = _handle(story)
    if handle:
        scales.add(_HANDLES[handle.name], handle, *_status(story, handle))
    scales.add(0.88, _no_context(story))
    scales.add(0.6, story.first("devices-busy"))
    scales.add(0.5, story.first("session-not-created"))
    _weigh_card(story, memory, scales)
    for name, weight in _UNTOLD.items():
        if not scales.weight:
            scales.add(weight, story.first(name))
    if not scales.weight:
        scales.add(0.22, memory.told_by)
    _weigh_told(story, scales)
    versions = _versions(story)
    if handle and (versions or story.has(*_MISMATCHES)):
        scales.take(0.55)
    if handle and handle.name == "cublas-routine-failed" and story.has("illegal-address", "xid"):
        scales.take(0.6)
    return scales.verdict(why=_why(memory, handle, story), fix=_fix(story))


def _handle(story: Story) -> Signal | None:
    found = [
        signal
        for name in _HANDLES
        if (signal := story.first(name)) and not any(word in signal.text for word in _OTHER_STATUS)
    ]
    return found[0] if found else None


def _status(story: Story, handle: Signal) -> tuple[Signal, ...]:
    """The status that cuDNN gave for it, where that stands in a line of its own."""
    return story.all("cudnn-execution-failed") if handle.name == "cudnn-dropout-failed" else ()


def _no_context(story: Story) -> Signal | None:
    refused = [
        signal
        for signal in story.all("cuinit-failed")
        if "OUT_OF_MEMORY" in (signal.values.get("error") or signal.text)
    ]
    return story.first("context-out-of-memory") or next(iter(refused), None)


def _weigh_card(story: Story, memory: GpuMemory, scales: Scales) -> None:
    """What the card had left when the run began."""
    failed = scales.weight > 0 or bool(memory.told_by) or story.has("dst-tensor")
    requests = story.all("cuda-out-of-memory")
    if shrinking(requests):
        scales.add(0.66, requests[0])
    elif requests and whole_card(story, requests[0]):
        scales.add(0.35 if memory.refused else 0.62, requests[0])
    if memory.tiny and (failed or requests):
        scales.add(0.82 if memory.tiny.memory_mib < 300 else 0.68, memory.tiny.signal)
    if failed or requests:
        scales.add(0.4 if memory.told_by else 0.6, full_card(story))
        scales.add(0.55, story.finding("gpu-busy"))


def _weigh_told(story: Story, scales: Scales) -> None:
    if scales.weight:
        scales.add(0.5, story.first("words-memory-taken"))
        scales.add(0.5, story.first("words-growth-helps"))
        scales.add(0.2, story.first("words-memory-not-released"))
    else:
        scales.add(0.48, story.first("words-memory-taken"))
        scales.add(0.55, story.first("words-growth-helps"))
        scales.add(0.4, story.first("words-memory-not-released"))


def _versions(story: Story) -> Finding | None:
    finding = story.finding(*_VERSIONS)
    return finding if finding is not None and finding.severity == "error" else None


def _why(memory: GpuMemory, handle: Signal | None, story: Story) -> str:
    if memory.tiny:
        card = f" of some {memory.tiny.card_mib} MB" if memory.tiny.card_mib else ""
        return (
            f"TensorFlow got only {memory.tiny.memory_mib} MB{card} for its pool: the rest was in "
            "use already."
        )
    if _no_context(story):
        return (
            "Not even CUDA's own context found room on the card, before any tensor was asked for: "
            "another process has the memory."
        )
    if handle:
        doubt = (
            "But the versions at hand do not fit together, which explains it better."
            if _versions(story) or story.has(*_MISMATCHES)
            else "Nothing here speaks for versions that do not fit together."
        )
        return (
            "A CUDA library could not set itself up on the GPU. It takes memory outside of "
            f"TensorFlow's pool, and most often there is none left. {doubt}"
        )
    return "Other processes may hold the GPU's memory. Nothing here shows whether they did."


def _fix(story: Story) -> Fix:
    if (busy := story.finding("gpu-busy")) is not None:
        return busy.fix
    return Fix(
        "See who uses the GPU, and shut down notebooks and runs that you do not need. Then start "
        "again with memory growth, so that TensorFlow leaves room for cuDNN and cuBLAS. In code: "
        "`tf.config.experimental.set_memory_growth(gpu, True)` for every GPU, at the very start.",
        commands=("nvidia-smi", set_variable(story.facts, "TF_FORCE_GPU_ALLOW_GROWTH", "true")),
    )
