"""What nodes are compared by: versions, cards and their memory, out of what a node answered."""

from collections import Counter
from collections.abc import Iterator

from fitguard.checks.derived.visible_gpus import visible
from fitguard.report.rows.headline import SYSTEMS
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.probe import ProbeReport
from fitguard.schema.software import CudaLibraries
from fitguard.words import join, size

_NOT_INSTALLED = "not installed"
_NONE = "none"


def list_doctor_traits(facts: Facts, offered: int) -> dict[str, str]:
    """In the order in which differences are shown; what is not known is left out.

    Args:
        offered: GPUs that Ray counts on this node.
    """
    libraries, tensorflow = facts.libraries, facts.tensorflow
    traits = {
        "driver": _name_driver(facts),
        "TensorFlow": (tensorflow.version if tensorflow else _name_package(facts, "tensorflow")),
        "Keras": _name_package(facts, "keras"),
        "tf-keras": _name_package(facts, "tf-keras"),
        "CUDA": _name_library(libraries, "cudart"),
        "cuDNN": _name_library(libraries, "cudnn"),
        "Python": facts.python.version if facts.python else "",
        "system": _name_system(facts),
        **_list_card_traits(facts.gpus, offered, facts),
    }
    return {name: value for name, value in traits.items() if value}


def list_probe_traits(report: ProbeReport) -> dict[str, str]:
    """What a report of probes tells of its node."""
    gpus = [device.name for device in report.devices if device.label != "CPU"]
    traits = {"TensorFlow": report.tensorflow, "GPUs": _count_names(gpus)}
    return {name: value for name, value in traits.items() if value}


def _name_driver(facts: Facts) -> str:
    driver = facts.driver
    if driver is None:
        return ""
    return driver.version or driver.kernel_version or _NONE


def _name_package(facts: Facts, name: str) -> str:
    if facts.packages is None:
        return ""
    copy = facts.packages.first(name)
    if copy is not None and copy.version:
        return copy.version
    return _NOT_INSTALLED if facts.packages.complete else ""


def _name_library(libraries: CudaLibraries | None, component: str) -> str:
    """The one that the loader takes."""
    if libraries is None:
        return ""
    loaded = libraries.find_searched(component)
    if loaded:
        return loaded[0].version or loaded[0].soname
    return _NONE if libraries.lack(component) else ""


def _name_system(facts: Facts) -> str:
    platform = facts.platform
    if platform is None:
        return ""
    name = platform.distribution or SYSTEMS.get(platform.system, platform.system)
    return join([name, platform.machine])


def _list_card_traits(gpus: tuple[Gpu, ...] | None, offered: int, facts: Facts) -> dict[str, str]:
    if gpus is None:
        return {}
    memories: dict[str, set[int]] = {}
    for gpu in gpus:
        if gpu.memory_bytes:
            memories.setdefault(gpu.name or "GPU", set()).add(gpu.memory_bytes)
    return {
        "GPUs": _count_names(gpu.name or "unknown model" for gpu in gpus),
        **{
            f"memory of {name}": " and ".join(map(size, sorted(sizes)))
            for name, sizes in memories.items()
        },
        "GPUs left out": join(_list_left_out(gpus, offered, facts)) or _NONE,
    }


def _list_left_out(gpus: tuple[Gpu, ...], offered: int, facts: Facts) -> Iterator[str]:
    for gpu in gpus:
        if gpu.problem:
            yield f"GPU {gpu.index}: {gpu.problem}"
    shown = len(visible(gpus, facts).gpus)
    if shown < len(gpus):
        yield f"CUDA_VISIBLE_DEVICES hides {len(gpus) - shown} of {len(gpus)}"
    if offered != shown:
        yield f"Ray counts {offered}, the driver shows {shown}"


def _count_names(names: Iterator[str] | list[str]) -> str:
    counted = Counter(names)
    parts = (f"{many} × {name}" if many > 1 else name for name, many in counted.items())
    return " and ".join(parts) or _NONE
