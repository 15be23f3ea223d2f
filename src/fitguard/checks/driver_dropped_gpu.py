"""The GPU is older than what the driver still supports, or than what a driver for CUDA supports."""

import re
from collections.abc import Iterator

from fitguard.checks.derived import gpu_releases
from fitguard.checks.derived.cuda_runtime import Runtime
from fitguard.checks.derived.driver_version import DriverVersion
from fitguard.checks.derived.gpu_code import capability_of
from fitguard.checks.fixes import gpu_remedies, remedies
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import parse

# Windows counts on within a branch: 471 to 475 are all of branch 470.
_WINDOWS_NUMBERS_OF_A_BRANCH = 5
_LEGACY = re.compile(r"NVIDIA (\d+)\.\S+ Legacy drivers", re.IGNORECASE)


@check("FG305", "driver-dropped-gpu")
def driver_dropped_gpu(
    facts: Facts,
    knowledge: Knowledge,
    driver_version: DriverVersion | None = None,
    runtime: Runtime | None = None,
) -> Iterator[Finding]:
    """
    ## What it means
    NVIDIA drops old GPUs from new driver branches. Kepler (K80, K40, GTX 6xx and 7xx) ends with
    branch 470, Maxwell, Pascal and Volta (GTX 9xx and 10xx, P100, V100) end with branch 580. A
    newer driver does not see such a GPU at all. And a CUDA whose least driver is newer than the
    GPU's last branch can never run on it: CUDA 12 needs 525, a K80 has 470 at most.

    ## Why training crashes
    The GPU is missing: `nvidia-smi` does not list it, the kernel log says *supported through the
    NVIDIA 470.xx Legacy drivers*, TensorFlow says *no CUDA-capable device is detected* and trains
    on the CPU. With the old driver and the new CUDA it says *CUDA driver version is insufficient*.

    ## How to fix it
    Install the last branch that serves the GPU and keep it there (hold the package back from
    upgrades). Then take a TensorFlow whose CUDA that branch serves; for Kepler that is 2.14 with
    CUDA 11.8 at the latest.

    ## When this is wrong
    Vendors' long-lived datacenter branches can serve a GPU longer than the table says. On Windows
    the numbers within a branch run on (471 to 475 belong to branch 470), which is allowed for.

    ## References
    - NVIDIA, Unix graphics feature deprecation schedule
    - NVIDIA CUDA Toolkit release notes: toolkit and driver versions
    """
    legacy = _judge_kernel_log(facts)
    if legacy is not None:
        yield legacy
        return
    if not facts.gpus:
        raise Missing("there is no GPU" if facts.gpus == () else "the GPU is not known")
    if driver_version is None and runtime is None:
        raise Missing("neither the driver nor the CUDA version is known")
    for gpu in {gpu.name: gpu for gpu in facts.gpus}.values():
        capability = capability_of(gpu, knowledge)
        if capability is None or knowledge.drivers.last_branch(capability) is None:
            continue
        if driver_version is not None:
            yield from _by_driver(driver_version, gpu, capability, facts, knowledge)
        if runtime is not None:
            yield from _by_cuda(runtime, gpu, capability, facts, knowledge)


def _judge_kernel_log(facts: Facts) -> Finding | None:
    """What the kernel log says where the driver ignores the GPU: then NVML does not list it."""
    log = facts.kernel_log
    if log is None or facts.gpus:
        return None
    for message in reversed(log.module_messages):
        branch = _LEGACY.search(message)
        if branch:
            return Finding(
                title=f"The driver has dropped this GPU: branch {branch[1]} is the last that "
                "serves it",
                evidence=(Evidence(message, log.origin),),
                fix=remedies.driver(facts, branch=branch[1]),
            )
    return None


def _by_driver(
    driver: DriverVersion, gpu: Gpu, capability: str, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    branch = knowledge.drivers.last_branch(capability) or ""
    allowed = _WINDOWS_NUMBERS_OF_A_BRANCH if driver.windows else 0
    if parse(driver.version)[0] <= parse(branch)[0] + allowed:
        return
    yield Finding(
        title=f"Driver {driver.version} has dropped the {gpu.name or 'GPU'}: its last branch is "
        f"{branch}",
        evidence=(
            Evidence(f"driver {driver.version}", driver.source),
            _gpu_evidence(gpu, capability),
            _table_evidence(capability, knowledge),
        ),
        fix=remedies.driver(facts, branch=branch),
    )


def _by_cuda(
    runtime: Runtime, gpu: Gpu, capability: str, facts: Facts, knowledge: Knowledge
) -> Iterator[Finding]:
    if not gpu_releases.beyond_last_branch(runtime.version, capability, knowledge):
        return
    branch = knowledge.drivers.last_branch(capability)
    least = knowledge.drivers.least(runtime.version)
    yield Finding(
        title=f"No driver supports both the {gpu.name or 'GPU'} (last branch {branch}) and "
        f"{runtime.whose} (needs {least})",
        evidence=(
            _gpu_evidence(gpu, capability),
            Evidence(runtime.whose, runtime.source),
            _table_evidence(capability, knowledge),
            Evidence(
                f"CUDA {runtime.version}: driver {least} or newer",
                knowledge.drivers.toolkit_table.reference,
            ),
        ),
        fix=gpu_remedies.for_old_gpu(runtime, capability, facts, knowledge),
    )


def _gpu_evidence(gpu: Gpu, capability: str) -> Evidence:
    return Evidence(f"{gpu.name or 'GPU'}, compute capability {capability}", gpu.origin)


def _table_evidence(capability: str, knowledge: Knowledge) -> Evidence:
    row = knowledge.drivers.architecture(capability)
    known = (
        f"{row.architecture}: last driver branch {row.last_branch} ({row.source})" if row else ""
    )
    return Evidence(known, knowledge.drivers.architecture_table.reference)
