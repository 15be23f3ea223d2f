"""GPUs that failed, and how to train on the others."""

from collections.abc import Sequence

from fitguard.causes.derived.xid_blame import blame
from fitguard.environment.machine import MachineView, show_only
from fitguard.schema.hardware import Gpu, Xid


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
    addresses = {xid.pci_address for xid in counted if xid.pci_address}
    sick = [gpu for gpu in machine.gpus if gpu.problem or gpu.pci_address in addresses]
    sound = [gpu for gpu in machine.gpus if gpu not in sick]
    if not sick or not sound or any(gpu.mig_enabled for gpu in machine.gpus):
        return None
    return show_only(sound), ", ".join(_describe_gpu(gpu, counted) for gpu in sick)


def _describe_gpu(gpu: Gpu, xids: Sequence[Xid]) -> str:
    numbers = sorted({xid.number for xid in xids if xid.pci_address == gpu.pci_address})
    reason = ", ".join(f"Xid {number}" for number in numbers) or gpu.problem
    return f"GPU {gpu.index} ({reason})"
