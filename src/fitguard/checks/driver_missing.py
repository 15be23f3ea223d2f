"""There is an NVIDIA GPU, but no NVIDIA driver that works for it."""

import re

from fitguard.checks.derived.driver_version import counts_as_windows
from fitguard.checks.fixes import remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Driver

_REFUSED = re.compile(r"rejected|unsigned|lockdown", re.IGNORECASE)
_LOOK = ("sudo dmesg | grep -iE 'nvidia|nvrm'", "mokutil --sb-state", "dkms status")


@check("FG301", "driver-missing")
def driver_missing(driver: Driver, facts: Facts) -> Finding | None:
    """
    ## What it means
    The PCI bus shows an NVIDIA GPU, but NVIDIA's driver is not installed, or its kernel module is
    not loaded. The driver has two halves: the kernel module `nvidia`, and the library `libcuda`
    that TensorFlow loads. Training on the GPU needs both. The CUDA toolkit is neither of them.

    ## Why training crashes
    It does not crash: TensorFlow says *Could not find cuda drivers on your machine, GPU will not
    be used* or *failed call to cuInit: CUDA_ERROR_NO_DEVICE*, and trains on the CPU, many times
    slower. `nvidia-smi` says that it cannot communicate with the driver.

    ## How to fix it
    Install the driver from your distribution, then restart the machine.

    Where the module lies on disk and is not loaded, look at the kernel log first:
    - *module is rejected* or *unsigned module*: Secure Boot refuses it. The module must be signed
      with a key that the firmware trusts. Ubuntu and Debian make such a key when the driver is
      installed; enrol it with `sudo mokutil --import /var/lib/shim-signed/mok/MOK.der` (Ubuntu) or
      `/var/lib/dkms/mok.pub` (Debian), restart, and choose *Enroll MOK* on the blue screen. Or
      turn Secure Boot off in the firmware.
    - *version magic* or a module for another kernel: the kernel was upgraded, and the module was
      not built for it. Install the headers of the running kernel and run `sudo dkms autoinstall`.

    ## When this is wrong
    In a container the driver belongs to the host; see container-no-gpu. In WSL2 the kernel module
    is Windows' own and does not show. Tegra boards have their driver from JetPack.

    ## References
    - NVIDIA driver installation guide for Linux
    - Ubuntu wiki, UEFI Secure Boot: signing of modules
    """
    in_container = facts.container is not None and facts.container.runtime is not None
    if in_container and not (facts.container and facts.container.host_has_gpu is False):
        raise Missing("in a container the driver belongs to the host")
    if driver.generic or not (driver.pci or (facts.gpus and driver.absent)):
        return None
    if driver.absent and driver.installed_module is None:
        return _nothing_installed(driver, facts)
    if driver.kernel_version is None:
        return _not_loaded(driver, facts)
    return _no_library(driver, facts) if driver.version is None else None


def _gpu_evidence(driver: Driver, facts: Facts) -> tuple[Evidence, ...]:
    if driver.pci:
        return tuple(
            Evidence(
                f"NVIDIA GPU at {device.address}, kernel driver: {device.driver or 'none'}",
                "/sys/bus/pci/devices",
            )
            for device in driver.pci
        )
    return tuple(Evidence(gpu.name or "a GPU", gpu.origin) for gpu in facts.gpus or ())


def _nothing_installed(driver: Driver, facts: Facts) -> Finding:
    return Finding(
        title="There is an NVIDIA GPU, but no NVIDIA driver is installed",
        evidence=(
            *_gpu_evidence(driver, facts),
            Evidence("no libcuda and no nvidia kernel module", driver.origin or "file system"),
        ),
        fix=remedies.driver(facts),
    )


def _not_loaded(driver: Driver, facts: Facts) -> Finding | None:
    held = any(device.driver == "nvidia" for device in driver.pci or ())
    if held or facts.gpus or counts_as_windows(facts):
        return None
    log = facts.kernel_log
    messages = log.module_messages[-3:] if log is not None else ()
    refused = any(_REFUSED.search(message) for message in messages)
    found = [*_gpu_evidence(driver, facts)]
    if driver.installed_module is not None:
        found.append(Evidence("kernel module, not loaded", driver.installed_module))
    if driver.version is not None:
        found.append(Evidence(f"libcuda {driver.version}", driver.origin))
    found += [Evidence(message, log.origin if log else "") for message in messages]
    if refused or (driver.secure_boot and driver.installed_module is not None):
        found.append(Evidence(f"Secure Boot: {_on(driver.secure_boot)}", "firmware"))
        return Finding(
            title="The NVIDIA kernel module is installed, but Secure Boot keeps it from loading",
            confidence="high" if refused else "medium",
            evidence=tuple(found),
            fix=Fix(
                text="Enroll the key that the module is signed with (mokutil --import, restart, "
                "choose Enroll MOK on the blue screen), or turn Secure Boot off in the firmware.",
                commands=_LOOK,
            ),
        )
    return Finding(
        title="The NVIDIA driver is installed, but its kernel module is not loaded",
        evidence=tuple(found),
        fix=Fix(
            text=_reason_not_loaded(driver, facts),
            commands=("sudo modprobe nvidia", *_LOOK),
        ),
    )


def _reason_not_loaded(driver: Driver, facts: Facts) -> str:
    kernel = facts.platform.kernel if facts.platform is not None else None
    module = driver.installed_module
    if module is None:
        return "No module was built for this kernel: install its headers, then the driver again."
    if kernel and f"/{kernel}/" not in module:
        return (
            f"The module is for another kernel than the running {kernel}: install the headers of "
            "this kernel and run `sudo dkms autoinstall`, or restart into the other kernel."
        )
    return "Load the module; where that fails, the kernel log says why."


def _no_library(driver: Driver, facts: Facts) -> Finding | None:
    if facts.gpus:
        return None
    return Finding(
        title=f"NVIDIA's kernel module {driver.kernel_version} is loaded, but libcuda is missing",
        confidence="medium",
        evidence=(
            Evidence(f"kernel module {driver.kernel_version}", driver.origin),
            Evidence("no libcuda.so.1", "library folders"),
        ),
        fix=remedies.driver(facts, branch=str(driver.kernel_version).split(".")[0]),
    )


def _on(secure_boot: bool | None) -> str:
    return {True: "on", False: "off", None: "not known"}[secure_boot]
