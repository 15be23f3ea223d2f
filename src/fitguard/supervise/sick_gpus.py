"""GPUs that failed, and how to train on the others."""

from collections.abc import Mapping, Sequence

from fitguard.causes.derived.xid_blame import blame
from fitguard.environment.machine import MachineView, show_only
from fitguard.schema.hardware import Gpu, Xid
from fitguard.schema.probe import ProbeReport, ProbeResult

_NOT_OF_THE_DEVICE = ("gpu-oom", "gpu-memory-taken", "gpu-fragmentation", "host-oom")
"""A probe that died of these says that there is no room, and nothing of what it should try."""
_OF_THE_DEVICE = ("hardware-fault", "driver-broken", "illegal-memory-access", "watchdog-timeout")
"""A probe that raised for another reason may be at fault itself, with this TensorFlow; and one that
gives the same wrong result twice speaks against the software. No training is stopped for that."""


def leave_out_sick_gpus(
    machine: MachineView, xids: Sequence[Xid], *, any_xid: bool
) -> tuple[dict[str, str], str] | None:
    """Variables that show only the sound GPUs, and the names of the others.

    None where no GPU is sick, or none is sound, or the GPUs are parted with MIG and have no names
    of their own.

    Args:
        any_xid: Whether an Xid that a program can bring about is enough.
    """
    counted = [xid for xid in xids if any_xid or blame(xid.number) == "hardware"]
    reasons = {gpu.index: _explain(gpu, counted, machine.probed) for gpu in machine.gpus}
    sound = [gpu for gpu in machine.gpus if not reasons[gpu.index]]
    sick = [gpu for gpu in machine.gpus if reasons[gpu.index]]
    if not sick or not sound or any(gpu.mig_enabled for gpu in machine.gpus):
        return None
    return show_only(sound), ", ".join(f"GPU {gpu.index} ({reasons[gpu.index]})" for gpu in sick)


def find_failures(probed: ProbeReport | None) -> Mapping[str, ProbeResult]:
    """The first failure of each device that speaks against the device, by its label."""
    failures: dict[str, ProbeResult] = {}
    for result in probed.failures if probed is not None else ():
        if _speaks_against_device(result):
            failures.setdefault(result.device, result)
    return failures


def _speaks_against_device(result: ProbeResult) -> bool:
    primary = result.diagnosis.primary if result.diagnosis is not None else None
    if result.status == "fail":
        return primary in _OF_THE_DEVICE
    return primary not in _NOT_OF_THE_DEVICE


def _explain(gpu: Gpu, xids: Sequence[Xid], probed: ProbeReport | None) -> str:
    """Why this one is sick; empty where it is not."""
    numbers = sorted(
        {xid.number for xid in xids if xid.pci_address and xid.pci_address == gpu.pci_address}
    )
    failure = find_failures(probed).get(f"GPU {gpu.index}")
    if failure is not None:
        return f"the probe {failure.name} fails"
    return ", ".join(f"Xid {number}" for number in numbers) or gpu.problem or ""
