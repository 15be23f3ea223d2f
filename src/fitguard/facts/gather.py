"""All facts of this machine: the probes run side by side, each with its own time limit."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from fitguard.facts import (
    cluster,
    container,
    cpu,
    driver,
    host,
    interpreter,
    kernel_log,
    libraries,
    nvml,
)
from fitguard.facts import (
    environment as variables,
)
from fitguard.facts.interpreter import Interview
from fitguard.facts.nvml import NvmlFacts
from fitguard.facts.probe import Probe
from fitguard.schema.cluster import Cluster
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts, FailedProbe
from fitguard.schema.hardware import Container, Cpu, Driver, Gpu, Host, KernelLog
from fitguard.schema.software import CudaLibraries

T = TypeVar("T")


def _kernel_log() -> KernelLog | None:
    return kernel_log.read() if sys.platform == "linux" else None


@dataclass(frozen=True)
class Sources:
    """Whom to ask. By default this machine; a recording of another, where there is one."""

    nvml: Callable[[], NvmlFacts] = nvml.read
    driver: Callable[[], Driver] = driver.read
    kernel_log: Callable[[], KernelLog | None] = _kernel_log
    container: Callable[[Mapping[str, str]], Container] = container.read
    cluster: Callable[[Mapping[str, str]], Cluster] = cluster.read
    cpu: Callable[[], Cpu] = cpu.read
    host: Callable[[], Host] = host.read
    interview: Callable[[str | None, Mapping[str, str]], Interview] = interpreter.interview
    libraries: Callable[..., CudaLibraries] = libraries.find


THIS_MACHINE = Sources()


def gather(
    python: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    limit_seconds: float = 5.0,
    sources: Sources = THIS_MACHINE,
) -> Facts:
    """Everything that can be known of this machine and of one interpreter on it.

    Args:
        python: The interpreter that trains; by default that of `VIRTUAL_ENV`, else this one.
        environment: The variables it trains with; by default those of this process.
        limit_seconds: What a single probe may take.
        sources: Whom to ask.

    Raises:
        UsageError: if `python` is no Python, or does not answer.
    """
    environment = os.environ if environment is None else environment
    probes: list[Probe[Any]] = []

    def start(name: str, question: Callable[[], T]) -> Probe[T]:
        probe = Probe(name, question, limit_seconds)
        probes.append(probe)
        return probe

    nvml_probe = start("nvml", sources.nvml)
    driver_probe = start("driver", sources.driver)
    kernel_log_probe = start("kernel-log", sources.kernel_log)
    container_probe = start("container", partial(sources.container, environment))
    cluster_probe = start("cluster", partial(sources.cluster, environment))
    cpu_probe = start("cpu", sources.cpu)
    host_probe = start("host", sources.host)

    interview = _interview(sources, python, environment)
    libraries_probe = start("libraries", partial(_libraries, sources, interview, environment))

    told = nvml_probe.answer()
    driver_facts = _driver(driver_probe.answer(), told, nvml_probe.failure)
    return Facts(
        python=interview.python,
        platform=interview.platform,
        packages=interview.packages,
        tensorflow=interview.tensorflow,
        libraries=libraries_probe.answer(),
        driver=driver_facts,
        gpus=_gpus(told, driver_facts),
        gpu_links=told.links if told is not None else None,
        kernel_log=kernel_log_probe.answer(),
        container=container_probe.answer(),
        cluster=cluster_probe.answer(),
        cpu=cpu_probe.answer(),
        host=host_probe.answer(),
        environment=variables.select(environment),
        failed_probes=(
            *interview.failed,
            *(probe.failure for probe in probes if probe.failure),
        ),
    )


def _interview(sources: Sources, python: str | None, environment: Mapping[str, str]) -> Interview:
    """The interpreter's answers. It runs in a child with its own time limit, so no thread here.

    Who names an interpreter wants that one judged: then a failure is no fact among others.
    """
    try:
        return sources.interview(python, environment)
    except UsageError:
        raise
    except Exception as error:
        if python is not None:
            raise
        problem = f"{type(error).__name__}: {error}"
        return Interview(failed=(FailedProbe("interpreter", problem),))


def _libraries(
    sources: Sources, interview: Interview, environment: Mapping[str, str]
) -> CudaLibraries:
    return sources.libraries(
        environment,
        interview.python,
        interview.tensorflow_libraries,
        interview.site_directories,
        cuda_build=interview.tensorflow.cuda if interview.tensorflow else None,
    )


def _driver(
    found: Driver | None, told: NvmlFacts | None, failure: FailedProbe | None
) -> Driver | None:
    """The driver's two sources in one; NVML that hangs is what NVML answered."""
    if told is None:
        told = NvmlFacts(error=failure.problem if failure else None)
    return driver.with_nvml(found or Driver(), told) if found or told.version else None


def _gpus(told: NvmlFacts | None, found: Driver | None) -> tuple[Gpu, ...] | None:
    """NVML's GPUs; none where neither a driver nor a device is here; else unknown."""
    if told is None:
        return None
    if told.gpus is not None or told.error:
        return told.gpus
    nothing = found is not None and found.absent and found.pci == () and not found.nodes
    return () if nothing else None
