"""The driver is older than the CUDA at hand, or the GPU itself, needs."""

from collections.abc import Iterator

from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.cuda_runtime import Runtime
from fitguard.checks.derived.driver_version import DriverVersion
from fitguard.checks.derived.gpu_code import capability_of
from fitguard.checks.fixes import gpu_remedies, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.knowledge.drivers import ArchitectureDrivers
from fitguard.knowledge.tensorflow import code_for
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import older, parse


@check("FG304", "driver-too-old")
def driver_too_old(
    driver_version: DriverVersion,
    facts: Facts,
    knowledge: Knowledge,
    runtime: Runtime | None = None,
) -> Finding | None:
    """
    ## What it means
    A driver serves the CUDA it came with and all older ones. Within one CUDA major it also serves
    newer minors (minor-version compatibility, since CUDA 11): CUDA 12.5 came with driver 555, but
    525.60.13 will do. This driver is older than even that, or older than the first one that knows
    the GPU.

    ## Why training crashes
    *CUDA driver version is insufficient for CUDA runtime version*, *failed call to cuInit*, or
    *CUDA_ERROR_UNSUPPORTED_PTX_VERSION*. Often TensorFlow only leaves the GPU out and trains on
    the CPU.

    Minor-version compatibility does not cover code that the driver has to compile (PTX). A GPU that
    is newer than the TensorFlow build runs on such code, so it needs the driver that the build's
    own CUDA came with.

    ## How to fix it
    Install a newer driver. The CUDA toolkit need not change: a driver serves older CUDA versions.
    In a container and in WSL2 the driver is the host's: it can only be changed there. Where the
    driver may not be changed, take a TensorFlow that was built with an older CUDA
    (`fitguard resolve` finds one).

    ## When this is wrong
    On datacenter GPUs (and some RTX workstation ones) NVIDIA's forward-compatibility packages
    (`cuda-compat-12-5` and the like) bring a newer `libcuda` for an older kernel module. Official
    NVIDIA containers hold them. fitguard compares the driver's number alone. The first driver for
    some new GPUs is not documented; the finding then has a lower confidence.

    ## References
    - NVIDIA CUDA Toolkit release notes: toolkit and driver versions
    - NVIDIA, CUDA compatibility: minor-version and forward compatibility
    """
    if runtime is None and not facts.gpus:
        raise Missing("neither the CUDA version nor the GPU is known")
    too_old = dict(_for_gpus(driver_version, facts, knowledge))
    if runtime is not None:
        too_old |= dict(_for_cuda(driver_version, runtime, facts, knowledge))
    if too_old:
        # One driver mends all: the newest of those that are needed.
        return too_old[max(too_old, key=parse)]
    if runtime is None:
        return None
    return _for_ptx(driver_version, runtime, facts, knowledge)


def _for_cuda(
    driver: DriverVersion, runtime: Runtime, facts: Facts, knowledge: Knowledge
) -> Iterator[tuple[str, Finding]]:
    least = knowledge.drivers.least(runtime.version, windows=driver.windows)
    if least is None or not older(parse(driver.version), parse(least)):
        return
    yield (
        least,
        Finding(
            title=f"Driver {driver.version} is older than the {least} that {runtime.whose} needs",
            evidence=(
                Evidence(f"driver {driver.version}", driver.source),
                Evidence(runtime.whose, runtime.source),
                Evidence(
                    f"CUDA {runtime.version}: driver {least} or newer",
                    knowledge.drivers.toolkit_table.reference,
                ),
            ),
            fix=_newer_driver(least, runtime, facts, knowledge),
        ),
    )


def _newer_driver(least: str, runtime: Runtime, facts: Facts, knowledge: Knowledge) -> Fix:
    """A newer driver, unless there is none that still supports the GPU."""
    for gpu in facts.gpus or ():
        capability = capability_of(gpu, knowledge)
        if capability and gpu_releases.beyond_last_branch(runtime.version, capability, knowledge):
            return gpu_remedies.for_old_gpu(runtime, capability, facts, knowledge)
    return remedies.driver(facts, least=least)


def _for_ptx(
    driver: DriverVersion, runtime: Runtime, facts: Facts, knowledge: Knowledge
) -> Finding | None:
    """Code that the driver compiles needs the driver that the build's own CUDA came with."""
    build = runtime.build
    if build is None or not build.cuda:
        return None
    came_with = knowledge.drivers.least(build.cuda, windows=driver.windows, exact=True)
    if came_with is None or not older(parse(driver.version), parse(came_with)):
        return None
    for gpu in facts.gpus or ():
        capability = capability_of(gpu, knowledge)
        if capability is None or code_for(build.sass, build.ptx, capability) != "ptx":
            continue
        return Finding(
            severity="warning",
            confidence="medium",
            title=f"Driver {driver.version} may not compile TensorFlow {build.version}'s code "
            f"for {gpu.name or 'this GPU'}",
            evidence=(
                Evidence(f"driver {driver.version}", driver.source),
                Evidence(
                    f"compute capability {capability} is served by PTX of CUDA {build.cuda} alone",
                    build.origin,
                ),
                Evidence(
                    f"CUDA {build.cuda} came with driver {came_with}",
                    knowledge.drivers.toolkit_table.reference,
                ),
            ),
            fix=remedies.driver(facts, least=came_with),
        )
    return None


def _for_gpus(
    driver: DriverVersion, facts: Facts, knowledge: Knowledge
) -> Iterator[tuple[str, Finding]]:
    for gpu in facts.gpus or ():
        capability = capability_of(gpu, knowledge)
        row = knowledge.drivers.architecture(capability) if capability else None
        # The table holds Linux' numbers only.
        if row is None or not row.first_driver or driver.windows:
            continue
        if older(parse(driver.version), parse(row.first_driver)):
            yield row.first_driver, _older_than_gpu(driver, gpu, row, facts, knowledge)


def _older_than_gpu(
    driver: DriverVersion, gpu: Gpu, row: ArchitectureDrivers, facts: Facts, knowledge: Knowledge
) -> Finding:
    return Finding(
        confidence="medium" if row.uncertain else "high",
        title=f"Driver {driver.version} is older than the GPU: {gpu.name or row.architecture} "
        f"needs {row.first_driver}",
        evidence=(
            Evidence(f"driver {driver.version}", driver.source),
            Evidence(gpu.name or f"compute capability {gpu.compute_capability}", gpu.origin),
            Evidence(
                f"{row.architecture}: first driver {row.first_driver} ({row.source})",
                knowledge.drivers.architecture_table.reference,
            ),
        ),
        fix=remedies.driver(facts, least=row.first_driver),
    )
