"""A generic driver holds the NVIDIA GPU: nouveau, nova, or vfio-pci."""

from fitguard import shell
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Driver

_FOR_VIRTUAL_MACHINES = {"vfio-pci", "pci-stub"}


@check("FG302", "driver-generic")
def driver_generic(driver: Driver, facts: Facts) -> Finding | None:
    """
    ## What it means
    Only one kernel driver can hold a device. Here it is not NVIDIA's, but a generic one:
    - `nouveau` and `nova` are the kernel's own drivers for NVIDIA GPUs. They draw the desktop, and
      have no CUDA.
    - `vfio-pci` and `pci-stub` reserve the device for a virtual machine.

    ## Why training crashes
    CUDA finds no device: *failed call to cuInit: CUDA_ERROR_NO_DEVICE*, or *CUDA_ERROR_UNKNOWN*.
    TensorFlow then trains on the CPU. With the NVIDIA driver installed beside nouveau, its module
    cannot take the GPU: *The NVIDIA probe routine was not called*.

    ## How to fix it
    For nouveau and nova: install NVIDIA's driver from your distribution and restart. Its packages
    put the generic driver on a blacklist. An installer that did not: write `blacklist nouveau` and
    `options nouveau modeset=0` into a file under `/etc/modprobe.d/`, make the initial RAM disk
    anew (`update-initramfs -u` or `dracut --force`), and restart.

    For vfio-pci: train inside the virtual machine that the GPU was given to. Or take the device's
    id out of `vfio-pci.ids` on the kernel command line and out of `/etc/modprobe.d/`, and restart.

    ## When this is wrong
    Where one GPU is for a virtual machine and another one for training, nothing is reported as
    long as NVIDIA's driver shows a GPU.

    ## References
    - NVIDIA driver installation guide for Linux: disabling nouveau
    - Linux kernel documentation: VFIO
    """
    held_by_nvidia = any(device.driver == "nvidia" for device in driver.pci or ())
    if not driver.generic or driver.pci == () or held_by_nvidia or facts.gpus:
        return None
    held = [device for device in driver.pci or () if device.driver in driver.generic]
    names = " and ".join(driver.generic)
    return Finding(
        title=f"The generic driver {names} holds the NVIDIA GPU, so CUDA cannot use it",
        evidence=tuple(
            Evidence(f"NVIDIA GPU at {device.address}: driver {device.driver}", "/sys/bus/pci")
            for device in held
        )
        or (Evidence(f"kernel module {names} is loaded", "/sys/module"),),
        fix=_fix(driver, facts),
    )


def _fix(driver: Driver, facts: Facts) -> Fix:
    if set(driver.generic) <= _FOR_VIRTUAL_MACHINES:
        return Fix(
            text="The GPU is reserved for a virtual machine. Train inside that, or take the "
            "device out of the vfio settings and restart.",
            commands=shell.posix_only(facts, "lspci -nnk -d 10de:"),
        )
    if driver.version is not None:
        return Fix(
            text="NVIDIA's driver is installed, but the generic one came first. Put nouveau on the "
            "blacklist in /etc/modprobe.d, rebuild the initial RAM disk, and restart.",
            commands=shell.posix_only(facts, "lspci -nnk -d 10de:"),
        )
    return remedies.driver(facts)
