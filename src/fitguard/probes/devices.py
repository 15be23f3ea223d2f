"""What is to be probed, and how a child sees one of them alone."""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from fitguard.checks.derived.closed_gpus import find_closed
from fitguard.environment.machine import VISIBLE_DEVICES, show_only, view_machine
from fitguard.facts import nvml
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import ProbedDevice

ALL = "all"
LOGICAL_DEVICES = 2
"""Into so many parts the CPU is divided for what needs several devices."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """One or several GPUs, or the CPU.

    Args:
        gpus: Empty for the CPU; and where CUDA's own choice stands, because of MIG.
        label: `GPU 0`, `GPU 0, 1`, `CPU`.
        environment: What shows it to a child, and nothing else.
        count: How many a child sees.
    """

    label: str
    gpus: tuple[Gpu, ...] = ()
    environment: dict[str, str] = {}
    is_gpu: bool = False
    count: int = 1

    @property
    def closed(self) -> str:
        """Why no program can open it now, in sentences; empty where one can."""
        for gpu in self.gpus:
            if (found := find_closed(gpu)) is not None:
                holders = ", ".join(f"{one.pid} {one.name or ''}".strip() for one in found.holders)
                held = f" It is held by process {holders}." if holders else ""
                return (
                    f"GPU {gpu.index} {found.why}.{held} Wait for that process, choose another GPU "
                    "with --device, or ask for the compute mode Default."
                )
        return ""

    def describe(self) -> ProbedDevice:
        """For the report."""
        gpu = self.gpus[0] if self.gpus else None
        if gpu is None:
            return ProbedDevice(label=self.label)
        return ProbedDevice(
            label=self.label, name=gpu.name or "", uuid=gpu.uuid, pci_address=gpu.pci_address
        )


def list_devices(
    wanted: str,
    environment: Mapping[str, str],
    read: Callable[[], nvml.NvmlFacts] = nvml.read,
) -> tuple[Device, ...]:
    """The devices to probe, one by one; the CPU alone where there is no GPU to be seen.

    Args:
        wanted: `all`, or numbers as nvidia-smi gives them: `0`, `0,2`.

    Raises:
        UsageError: for a number that no visible GPU has.
    """
    numbers = _read_numbers(wanted)
    gpus = view_machine(environment, read).gpus
    if numbers is not None:
        missing = sorted(numbers - {gpu.index for gpu in gpus})
        if missing:
            shown = ", ".join(str(gpu.index) for gpu in gpus) or "none"
            raise UsageError(
                f"Received --device {wanted}. Expected `all`, or numbers of GPUs that can be seen "
                f"here: {shown}"
            )
        gpus = tuple(gpu for gpu in gpus if gpu.index in numbers)
    if not gpus:
        return (cpu(),)
    if any(gpu.mig_enabled for gpu in gpus):
        return tuple(_take_as_shown(gpu, environment) for gpu in gpus)
    return tuple(_isolate((gpu,)) for gpu in gpus)


def join(devices: Sequence[Device]) -> Device | None:
    """All of them as one device for what needs several; None where there is only one GPU."""
    if not devices[0].is_gpu:
        return msgspec.structs.replace(devices[0], count=LOGICAL_DEVICES)
    gpus = tuple(gpu for device in devices for gpu in device.gpus)
    if len(gpus) < 2 or any(gpu.mig_enabled for gpu in gpus):
        return None
    return _isolate(gpus)


def cpu() -> Device:
    """The CPU: GPUs are hidden from the child."""
    return Device(label="CPU", environment={VISIBLE_DEVICES: "-1"})


def _isolate(gpus: tuple[Gpu, ...]) -> Device:
    return Device(
        label="GPU " + ", ".join(str(gpu.index) for gpu in gpus),
        gpus=gpus,
        environment=show_only(gpus),
        is_gpu=True,
        count=len(gpus),
    )


def _take_as_shown(gpu: Gpu, environment: Mapping[str, str]) -> Device:
    """A GPU that is parted with MIG: a process sees one part of it, the one that is named."""
    part = environment.get(VISIBLE_DEVICES)
    shown = {VISIBLE_DEVICES: part} if part and part.startswith("MIG-") else {}
    return Device(label=f"GPU {gpu.index} (MIG)", gpus=(gpu,), environment=shown, is_gpu=True)


def _read_numbers(wanted: str) -> set[int] | None:
    if wanted == ALL:
        return None
    if not re.fullmatch(r"\d{1,4}(,\d{1,4})*", wanted):
        raise UsageError(f"Received --device {wanted}. Expected `all`, or numbers such as 0 or 0,2")
    return {int(number) for number in wanted.split(",")}
