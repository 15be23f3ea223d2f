"""NVIDIA's devices as the kernel shows them: on the PCI bus and under /dev."""

import os
from pathlib import Path

from fitguard.facts import files
from fitguard.schema.hardware import DeviceNode, PciGpu

NVIDIA_VENDOR = "0x10de"
DISPLAY_CLASS = "0x03"
GENERIC_DRIVERS = frozenset({"nouveau", "nova", "nova-core", "nova_core", "vfio-pci", "pci-stub"})
NODE_PATTERNS = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "dxg")


def on_pci(root: Path) -> tuple[PciGpu, ...] | None:
    """NVIDIA's display devices on the bus; None where /sys does not show the bus."""
    devices = files.entries(root / "sys/bus/pci/devices")
    if devices is None:
        return None
    return tuple(
        PciGpu(device.name, files.text(device / "device") or "", _read_bound_driver(device))
        for device in devices
        if files.text(device / "vendor") == NVIDIA_VENDOR
        and (files.text(device / "class") or "").startswith(DISPLAY_CLASS)
    )


def generic_drivers(root: Path, pci: tuple[PciGpu, ...] | None) -> tuple[str, ...]:
    """Drivers other than NVIDIA's that hold an NVIDIA device."""
    bound = {device.driver for device in pci or () if device.driver in GENERIC_DRIVERS}
    held_by_nvidia = any(device.driver == "nvidia" for device in pci or ())
    if (root / "sys/module/nouveau").is_dir() and not held_by_nvidia:
        bound.add("nouveau")
    return tuple(sorted(name for name in bound if name))


def nodes(root: Path) -> tuple[DeviceNode, ...]:
    """Device files, and whether this user may read and write them."""
    found = (path for pattern in NODE_PATTERNS for path in sorted((root / "dev").glob(pattern)))
    return tuple(
        DeviceNode(f"/dev/{path.name}", os.access(path, os.R_OK | os.W_OK)) for path in found
    )


def _read_bound_driver(device: Path) -> str | None:
    try:
        return (device / "driver").readlink().name
    except OSError:
        return None
