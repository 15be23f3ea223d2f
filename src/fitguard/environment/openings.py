"""Where no set of versions works: the single changes that open one."""

from collections.abc import Iterator

import msgspec

from fitguard.environment.candidates import Candidate, Constraints
from fitguard.environment.search import Found, search
from fitguard.knowledge import Knowledge
from fitguard.schema.resolution import Opening
from fitguard.schema.software import Platform
from fitguard.schema.versions import parse

_PINS = ("driver", "python", "tensorflow", "cuda", "cudnn", "packages")


def openings(constraints: Constraints, tables: Knowledge) -> Iterator[Opening]:
    """Single changes after which a set exists, the cheapest first."""
    for pin in _PINS:
        if getattr(constraints, pin) is None:
            continue
        freed = msgspec.structs.replace(constraints, **{pin: None})
        found, _ = search(freed, tables)
        if found:
            yield Opening(_change(pin, found[0], freed, tables), _version(found))
    elsewhere = list(_other_platform(constraints, tables))
    yield from elsewhere
    if constraints.gpus and not elsewhere:
        found, _ = search(msgspec.structs.replace(constraints, gpus=None), tables)
        if found:
            yield Opening(_other_gpu(constraints, tables), _version(found))


def _other_platform(constraints: Constraints, tables: Knowledge) -> Iterator[Opening]:
    """Windows and ARM have no CUDA wheels; their neighbours do."""
    platform = constraints.platform
    if platform is None or not (platform.system == "windows" or platform.machine == "aarch64"):
        return
    windows = platform.system == "windows"
    neighbour = Platform(system="linux", machine="x86_64", wsl=windows, origin="resolve")
    found, _ = search(msgspec.structs.replace(constraints, platform=neighbour), tables)
    if found:
        change = (
            "Train in WSL2 instead of native Windows"
            if windows
            else f"Train on an x86_64 machine; on ARM there is {tables.tensorflow.nvidia_container}"
        )
        yield Opening(change, _version(found))


def _version(found: Found) -> str:
    return found[0].release.version


def _change(pin: str, candidate: Candidate, freed: Constraints, tables: Knowledge) -> str:
    """What to do so that a pin no longer stands in the way."""
    if pin == "driver":
        return f"Install {_driver(candidate, freed, tables)}"
    if pin == "python":
        return f"Use Python {candidate.python}"
    if pin == "tensorflow":
        return f"Use TensorFlow {candidate.release.version} instead of the pinned one"
    named = {"cuda": "the CUDA pin", "cudnn": "the cuDNN pin", "packages": "the package pins"}
    return f"Give up {named[pin]}"


def _driver(candidate: Candidate, freed: Constraints, tables: Knowledge) -> str:
    least = tables.drivers.least(candidate.cuda, windows=freed.windows_drivers)
    last = freed.last_driver_branch(tables)
    until = f", but no branch above {last}" if last else ""
    return f"driver {least} or newer{until}"


def _other_gpu(constraints: Constraints, tables: Knowledge) -> str:
    known = tables.tensorflow.newest.sass[-1]
    too_new = any(
        gpu.compute_capability and parse(gpu.compute_capability) > parse(known)
        for gpu in constraints.gpus or ()
    )
    if too_new:
        return (
            f"Use a GPU of compute capability {known} or older; for this one there are "
            f"{tables.tensorflow.nvidia_container} and a build from source"
        )
    return "Use another GPU"
