"""There is no NVIDIA GPU: training runs on the CPU."""

from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG312", "gpu-absent")
def gpu_absent(facts: Facts) -> Finding | None:
    """
    ## What it means
    No NVIDIA GPU was found: none on the PCI bus, none that the driver shows. TensorFlow works, on
    the CPU. AMD and Intel GPUs, and Apple's, are not used by these TensorFlow packages.

    ## Why training crashes
    It does not. It is many times slower than on a GPU, and lines such as *Could not find cuda
    drivers* or *failed call to cuInit* in the log are harmless.

    ## How to fix it
    Nothing, if the CPU is what you want. Else use a machine with an NVIDIA GPU: in a cloud choose
    an instance type with one, in a notebook service switch the accelerator on, in a virtual machine
    have the GPU passed through, in a cluster job ask the scheduler for one.

    ## When this is wrong
    A GPU that is switched off in the firmware, sits loosely in its slot or lacks power does not
    appear on the bus either. `lspci -d 10de:` lists what the bus shows.

    ## References
    - TensorFlow, use a GPU: <https://www.tensorflow.org/guide/gpu>
    """
    if facts.gpus is None:
        raise Missing("the GPU is not known")
    if facts.gpus or (facts.driver is not None and facts.driver.pci):
        return None
    looked = facts.driver is not None and facts.driver.pci is not None
    return Finding(
        severity="info",
        title="There is no NVIDIA GPU here: TensorFlow trains on the CPU",
        evidence=(
            Evidence("no NVIDIA device", "/sys/bus/pci/devices" if looked else "the facts given"),
        ),
        fix=Fix(text="Nothing, if you want the CPU. Otherwise, use a machine with a GPU."),
    )
