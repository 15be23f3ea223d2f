"""What the machine offers the next attempt: its GPUs, and the variables that choose among them."""

from collections.abc import Callable, Mapping

import msgspec

from fitguard.checks.derived.visible_gpus import visible
from fitguard.facts import nvml
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu


class MachineView(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision must know of the machine.

    Args:
        gpus: Those that the training may use.
        environment: What the training would find in it.
    """

    gpus: tuple[Gpu, ...] = ()
    environment: dict[str, str] = {}


def view_machine(
    environment: Mapping[str, str], read: Callable[[], nvml.NvmlFacts] = nvml.read
) -> MachineView:
    """This machine, seen with the variables that the training would have."""
    gpus = read().gpus or ()
    facts = Facts(environment=dict(environment))
    return MachineView(gpus=visible(gpus, facts).gpus, environment=dict(environment))
