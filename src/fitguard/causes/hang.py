"""The run hangs: it neither continues nor ends."""

from fitguard.causes.derived.many_gpus import find_joint_training
from fitguard.causes.derived.surroundings import is_windows
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix

# What tells why a run stands still, or at least whose fault it is.
_TELLS_MORE = (
    "worked-before",
    "bug-told",
    "needs-restart-told",
    "gpu-vanishes",
    "heat-or-power",
    "silent-crash-told",
    "allocator-not-a-failure",
    "xid",
    "xid-told",
    "watchdog-told",
)


@cause("hang")
def hang(story: Story) -> Verdict | None:
    """
    ## What it means
    Nothing is printed and nothing ends. Some of what looks so is slow work: the first step compiles
    with XLA and tunes kernels (minutes), a GPU newer than the release has its kernels compiled by
    the driver (up to half an hour), a shuffle buffer fills. What is left waits for something that
    never comes: input workers, a lock, another GPU, a driver that has stopped.

    ## How to be sure
    - `py-spy dump --pid PID` shows where each Python thread stands.
    - `nvidia-smi`: 100 % means a kernel that does not end or GPUs that wait for each other; 0 %
      means that the GPU waits for the program.
    - `top`: a busy processor compiles or prepares data.
    - The kernel log: an Xid, or *blocked for more than 120 seconds*.

    ## How to fix it
    Wait once for half an hour if it is the first step. Stack in the input pipeline: set
    `workers=0` or `use_multiprocessing=False`, and never start processes by fork after TensorFlow
    has used the GPU (take `spawn`). Stack in XLA: `jit_compile=False`. All GPUs at 100 %: see
    multi-gpu-comm. An Xid: see hardware-fault.

    ## When this reading is wrong
    Output that goes to a file or a pipe is held back by Python: `python -u` shows it at once. A
    notebook whose browser tab lost its connection looks frozen too.

    ## References
    - py-spy; Python's faulthandler
    - TensorFlow guide, better performance with tf.data
    """
    scales = Scales()
    scales.add(0.6, story.first("stacks-at-timeout"))
    scales.add(0.58, story.first("hang-told"))
    scales.add(0.5, story.first("hung-task"))
    if find_joint_training(story) is not None or _speaks_for_another(story):
        scales.take(0.45)
    if any(line.name not in ("stopped-by-user", "kernel-died") for line in story.role("stop")):
        scales.take(0.7)
    return scales.verdict(
        why="The run stopped making progress, and no line tells of an error.",
        fix=Fix(
            "See where it hangs: `py-spy dump --pid PID` for Python, `nvidia-smi` for the GPU "
            "(0 %: it waits for the program; 100 %: a kernel does not end). In the first step wait "
            "for half an hour: XLA or the driver may be compiling.",
            ("nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv -l 2",),
        ),
    )


def _speaks_for_another(story: Story) -> bool:
    """That it hangs is then a symptom; on Windows the driver or the release mostly is at fault."""
    several = len(story.facts.gpus or ()) > 1
    return several or is_windows(story) or story.has(*_TELLS_MORE)
