"""NVIDIA's management library: opening it, and asking it.

No library is a fact, not an error; a question that NVML refuses costs its own answer only.
"""

import sys
from dataclasses import dataclass
from typing import Any

from fitguard.facts import gpu, gpu_links
from fitguard.facts.nvml_questions import Questions
from fitguard.schema.hardware import Gpu, GpuLink

LIBRARY = "libnvidia-ml.so.1"


@dataclass(frozen=True)
class NvmlFacts:
    """What NVML told; nothing and no error where the library is not here.

    Args:
        version: Of the driver's user-space half.
        cuda: The newest CUDA that the driver serves.
        error: What NVML answered, where it did not work.
        gpus: None where NVML could not count them.
        links: How they reach each other.
    """

    version: str | None = None
    cuda: str | None = None
    error: str | None = None
    gpus: tuple[Gpu, ...] | None = None
    links: tuple[GpuLink, ...] | None = None


def read(library: str = LIBRARY) -> NvmlFacts:
    """Everything that NVML on this machine tells."""
    try:
        binding = load(library)
    except OSError as error:
        return NvmlFacts(error=str(error))
    return NvmlFacts() if binding is None else ask(binding)


def load(library: str = LIBRARY) -> Any:
    """The binding, or None where the machine has no NVML.

    Raises:
        OSError: if the library is here but cannot be loaded, such as an empty file
            that a container runtime left.
    """
    if sys.platform == "linux" and not _loadable(library):
        return None
    # The binding takes 40 ms to import: too long where there is nothing to ask.
    import pynvml

    return pynvml


def ask(nvml: Any) -> NvmlFacts:
    """What this NVML tells: `nvml` is the binding, or a replay of a recording."""
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        missing = error.value == nvml.NVML_ERROR_LIBRARY_NOT_FOUND
        return NvmlFacts(error=None if missing else describe(nvml, error.value, str(error)))
    system = Questions(nvml)
    version = system("nvmlSystemGetDriverVersion")
    cuda = _cuda(system("nvmlSystemGetCudaDriverVersion"))
    try:
        return NvmlFacts(version, cuda, gpus=gpu.read(nvml), links=gpu_links.read(nvml))
    except nvml.NVMLError as error:
        return NvmlFacts(version, cuda, describe(nvml, error.value, str(error)))
    finally:
        system("nvmlShutdown")


def describe(nvml: Any, code: int, text: str) -> str:
    """An error by its name in NVML's manual and in words."""
    names = (name for name in dir(nvml) if name.startswith("NVML_ERROR_"))
    name = next((name for name in names if getattr(nvml, name) == code), f"NVML error {code}")
    return f"{name}: {text}"


def _loadable(library: str) -> bool:
    import ctypes

    try:
        ctypes.CDLL(library)
    except OSError as error:
        if "No such file" in str(error):
            return False
        raise
    return True


def _cuda(number: int | None) -> str | None:
    """12040 → `12.4`."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else None
