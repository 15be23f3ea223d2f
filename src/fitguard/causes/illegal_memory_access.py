"""A kernel on the GPU touched memory that is not its own, and nothing says why."""

from fitguard.causes.derived.named_bugs import fitting
from fitguard.causes.derived.xid_blame import format_xid, xids
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix

_NAMED = ("illegal-address", "misaligned-address", "launch-failed", "gpu-illegal-instruction")


@cause("illegal-memory-access")
def illegal_memory_access(story: Story) -> Verdict | None:
    """
    ## What it means
    A kernel read or wrote an address that does not belong to it. CUDA ends all work of the process
    on this GPU; every later call fails too. Work on the GPU runs behind the program, so the line
    of the program at which the error appears is seldom the one that caused it.

    ## How to be sure
    - Run once with `CUDA_LAUNCH_BLOCKING=1`: the error then appears at the operation at fault.
    - `compute-sanitizer python train.py` names the kernel; it is slow.
    - The kernel log: Xid 31 or 13 with it is this fault; Xid 48, 79, 94, 95 mean the hardware.
    - Check indices and labels on the CPU: a GPU does not report one that is out of range.

    ## How to fix it
    Look at what is special: an own CUDA operation, masked recurrent layers, XLA, an embedding whose
    indices are never checked. Switch these off one by one. Then try another release of TensorFlow
    or cuDNN. If the place of the fault changes from run to run, test the card.

    ## When this reading is wrong
    It says what happened, not why: indices out of range, a bug of a library or a faulty card all
    end so. Where the log names one of these, that is the cause.

    ## References
    - NVIDIA CUDA driver API, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED
    - NVIDIA, compute-sanitizer; Xid 13 and 31
    """
    scales = Scales()
    scales.add(0.82, story.first("illegal-address"))
    scales.add(0.7, story.first("misaligned-address"))
    scales.add(0.6, story.first("launch-failed"))
    scales.add(0.56, story.first("gpu-illegal-instruction"))
    scales.add(0.42, story.first("device-assert"))
    scales.add(0.45, story.first("redzone-overwritten"))
    for line in xids(story, "program"):
        scales.add(0.6, line)
    scales.add(0.35, story.first("cudnn-execution-failed", "cudnn-mapping-error"))
    if not story.has(*_NAMED, "launch-timeout", "ecc-error"):
        scales.add(0.42, story.first("event-status", "gpu-sync-failed"))
        scales.add(0.3, story.first("cuda-unknown-at-run"))
    if story.has("launch-timeout", "ecc-error", "gpu-fallen-off", "gpu-lost"):
        scales.take(0.5)
    if xids(story, "hardware"):
        scales.take(0.5)
    if any(found.weight >= 0.6 for found in fitting(story)):
        scales.take(0.3)
    return scales.verdict(why=_why(story), fix=_fix(story))


def _why(story: Story) -> str:
    for line in xids(story, "program"):
        return (
            f"The driver logged {format_xid(line)}, most often the fault of a program; TensorFlow "
            "itself noticed only later that the GPU had stopped."
        )
    if story.has("illegal-address", "misaligned-address"):
        return (
            "CUDA names an address that a kernel must not use, and no line says whose fault it is."
        )
    if story.has("launch-failed"):
        return (
            "A kernel broke off: most often it used an address that is not its own, sometimes the "
            "card is faulty."
        )
    return (
        "The GPU had stopped before TensorFlow noticed; the kernel log (an Xid) would say whether "
        "a program or the hardware did it."
    )


def _fix(story: Story) -> Fix:
    special = " Under XLA, train once with `jit_compile=False`." if _under_xla(story) else ""
    return Fix(
        "Run once with CUDA_LAUNCH_BLOCKING=1, so that the error appears where it is made, and "
        "look into the kernel log for an Xid. Check on the CPU that no label and no index is out "
        f"of range.{special} Then try the release of TensorFlow before or after this one.",
        ("sudo dmesg -T",),
    )


def _under_xla(story: Story) -> bool:
    return any("xla" in line.text.lower() for line in story.all(*_NAMED)) or story.has("xla-works")
