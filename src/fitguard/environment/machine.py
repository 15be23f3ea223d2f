"""What the machine offers a training: its GPUs, and the variables that choose among them."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from fitguard.checks.derived.visible_gpus import visible
from fitguard.facts import nvml
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import ProbeReport

VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
DEVICE_ORDER = "CUDA_DEVICE_ORDER"


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision must know of the machine.

    Args:
        gpus: Those that the training may use.
        environment: What the training would find in it.
        probed: What came of probes of these GPUs; None where they were not probed.
    """

    gpus: tuple[Gpu, ...] = ()
    environment: dict[str, str] = {}
    probed: ProbeReport | None = None


def view_machine(
    environment: Mapping[str, str], read: Callable[[], nvml.NvmlFacts] = nvml.read
) -> MachineView:
    """This machine, seen with the variables that the training would have."""
    gpus = read().gpus or ()
    facts = Facts(environment=dict(environment))
    return MachineView(gpus=visible(gpus, facts).gpus, environment=dict(environment))


def show_only(gpus: Sequence[Gpu]) -> dict[str, str]:
    """The variables that show a program these GPUs and no others.

    By UUID: CUDA numbers GPUs by speed, NVML by their place on the bus.
    """
    identifiers = [gpu.uuid for gpu in gpus if gpu.uuid]
    if len(identifiers) == len(gpus):
        return {VISIBLE_DEVICES: ",".join(identifiers)}
    return {VISIBLE_DEVICES: ",".join(str(gpu.index) for gpu in gpus), DEVICE_ORDER: "PCI_BUS_ID"}
