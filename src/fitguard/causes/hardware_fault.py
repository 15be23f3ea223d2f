"""The GPU, its power, its cooling or another part of the machine failed."""

from fitguard.causes.derived.xid_blame import format_xid, xids
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix

_HEALTH = "nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER,TEMPERATURE,POWER"
_PROBES = ("probe-result-changes", "probe-memory-wrong")
_MEMORY_XIDS = {"48", "63", "64", "92", "94", "95", "140", "171", "172"}


@cause("hardware-fault")
def hardware_fault(story: Story) -> Verdict | None:
    """
    ## What it means
    A part of the machine failed. The GPU's memory gave a wrong value, the GPU no longer answers on
    the bus, or the machine went off: a full load on the GPU draws power in steep steps, which an
    undersized or ageing supply does not survive, however well games run.

    ## How to be sure
    - The kernel log: Xid 48, 63, 64, 94 and 95 speak of the GPU's memory, 79 of a GPU that has
      fallen off the bus, 74 of NVLink, 62, 119 and 120 of the GPU's own processor.
    - `nvidia-smi -q -d ECC,TEMPERATURE,POWER` while the training runs.
    - Swap the GPU, or leave it out with `CUDA_VISIBLE_DEVICES`: does the fault go with it?
    - Lower the power limit (`nvidia-smi -pl`, as root). If the machine then stays on, it is power.
    - A memory test (`cuda_memtest`, `dcgmi diag -r 3`) that finds errors settles it.

    ## How to fix it
    Memory errors: reset the GPU or restart the machine; if they come back, have the card replaced.
    A GPU that falls off the bus: check power cables, seating and cooling, then the BIOS. A machine
    that goes off: a stronger supply, two separate cables to the card, or a lower power limit.
    Overclocked cards: go back to the standard clocks first.

    ## When this reading is wrong
    Xid 13, 31 and 43 alone are nearly always a fault of the program. *Unspecified launch failure*
    may be either. On Windows a blue screen may be the driver's fault.

    ## References
    - NVIDIA, GPU debug guidelines; Xid catalog
    - tensorflow/tensorflow issues 740, 8858 (power), 28693 (memory of the card)
    """
    scales = Scales()
    for line in xids(story, "hardware"):
        scales.add(0.9, line)
    for line in xids(story, "driver"):
        scales.add(0.5, line)
    scales.add(0.88, story.first(*_PROBES))
    scales.add(0.95, story.first("gpu-fallen-off"))
    scales.add(0.93, story.first("ecc-error"))
    scales.add(0.9, story.first("gpu-lost"))
    scales.add(0.7, story.first("machine-check"))
    scales.add(0.7, story.first("inforom-corrupted"))
    scales.add(0.7, story.first("pcie-error"))
    scales.add(0.6, story.first("overheated"))
    scales.add(0.82, story.first("machine-goes-off"))
    scales.add(0.75, story.first("blue-screen"))
    scales.add(0.75, story.first("gpu-vanishes"))
    scales.add(0.45, story.first("heat-or-power"))
    scales.add(0.45, story.first("gpu-illegal-instruction"))
    scales.add(0.42, story.first("launch-failed"))
    scales.add(0.35, story.first("cuda-unknown-at-run"))
    scales.add(0.2, story.first("illegal-address", "event-status"))
    if story.has("launch-failed", "illegal-address", "event-status", "cuda-unknown-at-run"):
        scales.add(0.6, story.finding("gpu-unhealthy"))
        scales.add(0.3, story.finding("gpu-hot"))
    return scales.verdict(why=_why(story), fix=_fix(story))


def _why(story: Story) -> str:
    for line in xids(story, "hardware"):
        return f"The driver logged {format_xid(line)}, which no program can cause by itself."
    if story.has("probe-result-changes"):
        return (
            "A known computation gave a wrong result, and another one when it was repeated: the "
            "same program does not do that on sound hardware."
        )
    if story.has("probe-memory-wrong"):
        return (
            "What was written to memory is not what was read back, at the same place when it was "
            "repeated: a cell of it, or the way to it, is broken."
        )
    if story.has("gpu-fallen-off", "gpu-lost", "gpu-vanishes"):
        return "The GPU no longer answers: power, heat, its seating or the card itself."
    if story.has("ecc-error"):
        return "The GPU's memory gave a wrong value that its check could not correct."
    if story.has("machine-goes-off", "blue-screen", "machine-check", "overheated", "pcie-error"):
        return (
            "The whole machine fails under the load of the GPU, which no error of a program does: "
            "power, heat or a part that is broken."
        )
    return (
        "A kernel on the GPU broke off without a reason given. A faulty card does that at random "
        "places; a faulty program does it at the same place."
    )


def _fix(story: Story) -> Fix:
    if story.has("machine-goes-off", "blue-screen", "overheated", "machine-check"):
        return Fix(
            "First limit the power of the GPU to about 70 % (`sudo nvidia-smi -pl WATTS`) and "
            "train again. If the machine stays on, replace the power supply, or use separate "
            "cables to the card. If not, watch temperatures, then test the machine's memory.",
            ("nvidia-smi --query-gpu=temperature.gpu,power.draw,power.limit --format=csv -l 1",),
        )
    probe = story.first(*_PROBES)
    if probe is not None and probe.values["device"] == "CPU":
        return Fix(
            "Test the main memory of the machine (memtest86+, over night), and take back any "
            "overclocking of processor and memory. If errors stay, replace the memory first."
        )
    numbers = {line.values["number"] for line in xids(story, "hardware")}
    if story.has("ecc-error") or numbers & _MEMORY_XIDS:
        return Fix(
            "Stop all programs on this GPU and reset it (`sudo nvidia-smi --gpu-reset`) or restart "
            "the machine: failed memory is then replaced by spare rows. If the error comes back, "
            "have the card replaced; until then leave it out with CUDA_VISIBLE_DEVICES.",
            (_HEALTH,),
        )
    if probe is not None and not numbers:
        return Fix(
            "Leave this GPU out with CUDA_VISIBLE_DEVICES. Take back any overclocking, reset the "
            "GPU (`sudo nvidia-smi --gpu-reset`) or restart the machine, and probe it again. If "
            "it fails again, have the card replaced.",
            (_HEALTH, "fitguard probe --level medium"),
        )
    if story.has("gpu-fallen-off", "gpu-lost", "gpu-vanishes") or numbers:
        return Fix(
            "Restart the machine. If it comes back: check the power cables and the seating of the "
            "card, its temperature, and update the BIOS; try the card in another slot.",
            (_HEALTH,),
        )
    return Fix(
        "Look into the kernel log for an Xid (`sudo dmesg -T`), then run the training on another "
        "GPU. If only this card fails, test its memory and have it replaced.",
        (_HEALTH,),
    )
