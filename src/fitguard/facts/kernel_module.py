"""NVIDIA's kernel module: the loaded one, one that lies on disk, and what may refuse it."""

import re
from pathlib import Path

from fitguard.facts import files

# Known places only: a search through all modules of a kernel takes too long.
MODULE_PLACES = (
    "updates/dkms",
    "updates",
    "extra",
    "extra/*",
    "weak-updates/*",
    "kernel/drivers/video",
    "kernel/drivers/video/nvidia",
    "kernel/nvidia-*",
    "misc",
)
# Debian names it nvidia-current.ko.
MODULE_NAMES = ("nvidia.ko*", "nvidia-current*.ko*")


def read_loaded_version(root: Path) -> tuple[str | None, str | None]:
    """The version of the loaded module, and the file that tells it.

    Two formats: `NVIDIA UNIX x86_64 Kernel Module  535.129.03  …` and, of the open module,
    `NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  …`.
    """
    proc = root / "proc/driver/nvidia/version"
    match = re.search(
        r"NVRM version:.*Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)", files.text(proc) or ""
    )
    if match:
        return match[1], "/proc/driver/nvidia/version"
    sys = files.text(root / "sys/module/nvidia/version")
    return (sys, "/sys/module/nvidia/version") if sys else (None, None)


def on_disk(root: Path) -> str | None:
    """A module file: one for the running kernel if there is any, else one for another kernel."""
    release = files.text(root / "proc/sys/kernel/osrelease")
    kernels = files.entries(root / "lib/modules") or []
    for kernel in sorted(kernels, key=lambda kernel: kernel.name != release):
        for place in MODULE_PLACES:
            for name in MODULE_NAMES:
                found = next(kernel.glob(f"{place}/{name}"), None)
                if found:
                    return f"/{found.relative_to(root).as_posix()}"
    return None


def secure_boot(root: Path) -> bool | None:
    """Whether the firmware enforces signatures; None where /sys does not show the firmware."""
    firmware = files.entries(root / "sys/firmware")
    if not firmware:
        return None
    if not any(entry.name == "efi" for entry in firmware):
        return False
    variable = next((root / "sys/firmware/efi/efivars").glob("SecureBoot-*"), None)
    try:
        # Four bytes of attributes come before the value.
        return variable.read_bytes()[4:5] == b"\x01" if variable else None
    except OSError:
        return None
