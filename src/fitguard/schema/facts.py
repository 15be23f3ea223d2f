"""All that is known of a machine or of a supposed one. What is None is unknown, not wrong."""

from typing import Literal

import msgspec

from fitguard.schema.cluster import Cluster
from fitguard.schema.document import Document
from fitguard.schema.hardware import Container, Cpu, Driver, Gpu, GpuLink, Host, KernelLog
from fitguard.schema.probe import ProbeResult
from fitguard.schema.software import (
    CudaLibraries,
    DeepImport,
    Packages,
    Platform,
    Python,
    TensorFlow,
)

FACTS_SCHEMA: Literal["fitguard/facts/1"] = "fitguard/facts/1"


class FailedProbe(msgspec.Struct, frozen=True):
    """A reader of facts that failed or hung: its fact is missing, the others stand."""

    name: str
    problem: str


class Facts(Document, frozen=True, kw_only=True):
    """One set of facts; partial sets are legal everywhere.

    Args:
        tensorflow: None where it is unknown or not installed; `packages` tells which.
        gpus: Empty where there surely is none.
        gpu_links: How they reach each other, each pair once.
        environment: The variables that change what TensorFlow and CUDA do.
        cluster: The processes that train together, and which of them answered.
        probes: What came of small known computations, each in a process of its own.
        failed_probes: What could not be found out, and why.
    """

    schema: Literal["fitguard/facts/1"] = FACTS_SCHEMA
    python: Python | None = None
    platform: Platform | None = None
    packages: Packages | None = None
    tensorflow: TensorFlow | None = None
    libraries: CudaLibraries | None = None
    driver: Driver | None = None
    gpus: tuple[Gpu, ...] | None = None
    gpu_links: tuple[GpuLink, ...] | None = None
    kernel_log: KernelLog | None = None
    container: Container | None = None
    cpu: Cpu | None = None
    host: Host | None = None
    environment: dict[str, str] | None = None
    cluster: Cluster | None = None
    deep: DeepImport | None = None
    probes: tuple[ProbeResult, ...] = ()
    failed_probes: tuple[FailedProbe, ...] = ()
