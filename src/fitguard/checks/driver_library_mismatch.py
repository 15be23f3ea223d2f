"""The driver's library and its kernel module are of different versions."""

from fitguard import shell
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Driver
from fitguard.schema.versions import newer, older, parse


@check("FG303", "driver-library-mismatch")
def driver_library_mismatch(driver: Driver, facts: Facts) -> Finding | None:
    """
    ## What it means
    The driver has two halves, and they must be of the very same version: the kernel module that is
    loaded, and the libraries `libcuda` and `libnvidia-ml` that programs load. Here they differ.

    ## Why training crashes
    `nvidia-smi` says *Failed to initialize NVML: Driver/library version mismatch*. TensorFlow says
    *kernel version … does not match DSO version … -- cannot find working devices in this
    configuration* or *CUDA_ERROR_SYSTEM_DRIVER_MISMATCH*, and trains on the CPU.

    ## How to fix it
    Nearly always the driver was upgraded (by an automatic upgrade too) while the old module stayed
    loaded: restart the machine. Where no restart is possible, stop all programs that use the GPU,
    unload the modules nvidia_uvm, nvidia_drm, nvidia_modeset and nvidia, and load nvidia again.

    In a container the library should come from the host. A mismatch there means that the image
    brings a `libcuda` or `cuda-compat` of its own that is found first: take its folder out of
    `LD_LIBRARY_PATH`, and start a new container after an upgrade of the host's driver.

    ## When this is wrong
    With NVIDIA's forward-compatibility package (`cuda-compat`) on a datacenter GPU, libcuda is
    newer than the module on purpose. Then NVML reports no mismatch, and training works.

    ## References
    - NVIDIA NVML reference: NVML_ERROR_LIB_RM_VERSION_MISMATCH
    - NVIDIA, CUDA compatibility: forward compatibility
    """
    told = driver.nvml_error is not None and "mismatch" in driver.nvml_error.lower()
    differs = _differs(driver)
    if differs is None and not told:
        raise Missing("the versions of library and kernel module are not both known")
    if not (told or differs):
        return None
    library, module = driver.version or "unknown", driver.kernel_version or "unknown"
    evidence = [
        Evidence(f"library {library}, kernel module {module}", driver.origin or "NVIDIA driver")
    ]
    if told:
        evidence.append(Evidence(str(driver.nvml_error), "NVML"))
    log = facts.kernel_log
    if log is not None:
        said = [message for message in log.module_messages if "mismatch" in message.lower()]
        evidence += [Evidence(message, log.origin) for message in said[-2:]]
    known = f": {library} against {module}" if differs else ""
    return Finding(
        title=f"The driver's library and its kernel module differ{known}",
        confidence="high" if told or driver.cuda is None else "medium",
        evidence=tuple(evidence),
        fix=_fix(facts),
    )


def _differs(driver: Driver) -> bool | None:
    if driver.version is None or driver.kernel_version is None:
        return None
    library, module = parse(driver.version), parse(driver.kernel_version)
    return older(library, module) or newer(library, module)


def _fix(facts: Facts) -> Fix:
    if facts.container is not None and facts.container.runtime is not None:
        return Fix(
            text="Start a new container, so that it gets the host's library. If that does not "
            "help, a libcuda of the image comes first: take its folder out of LD_LIBRARY_PATH.",
            commands=shell.posix_only(
                facts, "ldconfig -p | grep -E 'libcuda|libnvidia-ml'", "echo $LD_LIBRARY_PATH"
            ),
        )
    return Fix(
        text="Restart the machine: the driver was upgraded while the old kernel module stayed "
        "loaded. Without a restart: stop all programs on the GPU and reload the modules.",
        commands=shell.posix_only(facts, "cat /proc/driver/nvidia/version"),
    )
