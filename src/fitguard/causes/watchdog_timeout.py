"""The system ended a kernel that kept the GPU busy for too long."""

from fitguard.causes.derived.many_gpus import find_joint_training
from fitguard.causes.derived.surroundings import is_windows, is_wsl
from fitguard.causes.derived.xid_blame import xids
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix


@cause("watchdog-timeout")
def watchdog_timeout(story: Story) -> Verdict | None:
    """
    ## What it means
    A GPU that draws the screen must come back to it every few seconds. A kernel that runs longer is
    ended by the system: on Windows by TDR (timeout detection and recovery, 2 seconds by default),
    on Linux by the X server's watchdog. CUDA then says *the launch timed out and was terminated*.

    ## How to be sure
    - `nvidia-smi -q -d DISPLAY`, or the column *Disp.A* of `nvidia-smi`: does this GPU drive a
      screen? Without one there is no watchdog.
    - Windows: the event log has *Display driver nvlddmkm stopped responding*.
    - A smaller batch, so shorter kernels, makes it go away.

    ## How to fix it
    Best: let another GPU (the one in the processor will do) drive the screen, or train on a
    machine without one. On Windows the time can be raised: `TdrDelay` under
    `HKLM\\System\\CurrentControlSet\\Control\\GraphicsDrivers`, a DWORD in seconds, then restart.
    On Linux set `Option "Interactive" "0"` in the Device section of xorg.conf. Or use a smaller
    batch or shorter sequences.

    ## When this reading is wrong
    On a GPU without a screen the same message comes where kernels of several GPUs wait for each
    other: that is a matter of NCCL. A GPU that hangs because of a fault also ends so; the kernel
    log then has an Xid.

    ## References
    - Microsoft, timeout detection and recovery; TDR registry keys
    - NVIDIA CUDA driver API, CUDA_ERROR_LAUNCH_TIMEOUT
    - tensorflow/tensorflow issues 2117, 23123, 45987
    """
    scales = Scales()
    scales.add(0.9, story.first("launch-timeout"))
    scales.add(0.85, story.first("display-driver-reset"))
    scales.add(0.65, story.first("watchdog-told"))
    for line in xids(story, "program"):
        if line.values["number"] == "8":
            scales.add(0.5, line)
    if is_windows(story) or is_wsl(story):
        scales.add(0.35, story.first("launch-failed", "cuda-unknown-at-run", "event-status"))
    if find_joint_training(story) is not None:
        scales.take(0.55)
    return scales.verdict(why=_why(story), fix=_fix(story))


def _why(story: Story) -> str:
    if story.has("launch-timeout"):
        return (
            "CUDA says that a kernel took longer than the system allows; only a GPU that also "
            "drives a screen has such a limit."
        )
    if story.has("display-driver-reset", "watchdog-told"):
        return "The display driver was reset because the GPU did not answer in time."
    return "On Windows a kernel of more than two seconds is ended, and CUDA reports it so."


def _fix(story: Story) -> Fix:
    if is_windows(story) or is_wsl(story):
        return Fix(
            "Let another GPU drive the screen, or raise the time that Windows waits: in an "
            "administrator's shell `reg add HKLM\\System\\CurrentControlSet\\Control\\"
            "GraphicsDrivers /v TdrDelay /t REG_DWORD /d 60`, then restart. Or use a smaller "
            "batch, so that each kernel ends sooner."
        )
    return Fix(
        "Train on a GPU that drives no screen: move the screen to another card, or stop the "
        'desktop. Or set Option "Interactive" "0" for this card in xorg.conf. Else take a smaller '
        "batch, so that each kernel ends sooner.",
        ("nvidia-smi --query-gpu=index,name,display_active --format=csv",),
    )
