"""The GPU driver in its two halves, from files and from NVML."""

import os
import re
from pathlib import Path

import msgspec

from fitguard.facts import kernel_module, nvidia_devices
from fitguard.facts.nvml import NvmlFacts
from fitguard.schema.hardware import Driver

LIBRARY_NAMES = ("libcuda.so.1", "libnvidia-ml.so.1")
LIBRARY_DIRECTORIES = (
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib64",
    "usr/lib",
    "usr/lib/x86_64-linux-gnu/nvidia/current",
    "usr/lib64/nvidia",
    "usr/lib/nvidia",
    "usr/local/nvidia/lib64",
    "usr/local/nvidia/lib",
    "usr/lib/wsl/lib",
    "run/opengl-driver/lib",
)


def read(root: Path = Path("/")) -> Driver:
    """What the file system tells of the driver; NVML is not asked."""
    version, library = library_version(root)
    kernel_version, kernel_source = kernel_module.read_loaded_version(root)
    pci = nvidia_devices.on_pci(root)
    loaded = kernel_version or (root / "sys/module/nvidia").is_dir()
    return Driver(
        version=version,
        kernel_version=kernel_version,
        installed_module=None if loaded else kernel_module.on_disk(root),
        secure_boot=kernel_module.secure_boot(root),
        generic=nvidia_devices.generic_drivers(root, pci),
        pci=pci,
        nodes=nvidia_devices.nodes(root),
        origin=", ".join(source for source in (library, kernel_source) if source),
    )


def library_version(root: Path) -> tuple[str | None, str | None]:
    """The version in the real name of libcuda or NVML (`libcuda.so.580.159.04`), and that file."""
    for directory in LIBRARY_DIRECTORIES:
        for name in LIBRARY_NAMES:
            real = os.path.realpath(root / directory / name)
            # Three digits at least: WSL's libcuda.so.1.1 tells no driver version.
            match = re.search(r"\.so\.(\d{3,}(?:\.\d+)+)$", real)
            if match and Path(real).exists():
                return match[1], f"/{directory}/{Path(real).name}"
    return None, None


def with_nvml(driver: Driver, nvml: NvmlFacts) -> Driver:
    """The driver, with what NVML told of it: NVML knows the library that is really loaded."""
    return msgspec.structs.replace(
        driver,
        version=nvml.version or driver.version,
        cuda=nvml.cuda,
        nvml_error=nvml.error,
        origin=", ".join(part for part in ("NVML" if nvml.version else "", driver.origin) if part),
    )
