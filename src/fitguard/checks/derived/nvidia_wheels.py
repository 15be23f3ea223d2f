"""Wheels of NVIDIA's for different CUDA majors that write to one folder."""

import re

import msgspec

from fitguard.knowledge import Knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages
from fitguard.schema.versions import parse, text

_NAME = re.compile(r"nvidia-([a-z0-9-]+)-cu(\d+)")
# Libraries whose file has the same name for several CUDA majors. cuDNN's name has its own major;
# the others' (libcublas.so.11, libcublas.so.12 …) tell the CUDA major, so they lie side by side.
_SAME_NAME = {"nccl": "libnccl.so.2", "curand": "libcurand.so.10", "cusolver": "libcusolver.so.11"}


class Clash(msgspec.Struct, frozen=True, kw_only=True):
    """Two wheels of one component.

    Args:
        library: The file that both bring; empty where the names of their files differ.
        winner: Whose file lies there now, where that is known.
        wanted: The one for the CUDA that TensorFlow was built with.
        breaks: Whether TensorFlow gets, or may get, the other one's cuDNN.
    """

    folder: str
    packages: tuple[Package, ...]
    library: str
    winner: Package | None
    wanted: Package | None
    breaks: bool


def clashes(packages: Packages, facts: Facts, knowledge: Knowledge) -> tuple[Clash, ...]:
    """The components that are installed for several CUDA majors and share a folder."""
    found: dict[tuple[str, str | None], list[Package]] = {}
    for package in packages.found:
        match = _NAME.fullmatch(package.name)
        if match and package.version:
            found.setdefault((match[1], package.location), []).append(package)
    several = ((name, wheels) for (name, _), wheels in found.items() if len(_names(wheels)) > 1)
    return tuple(
        _clash(name, tuple(wheels), facts, knowledge)
        for name, wheels in several
        if name == "cudnn" or name in _SAME_NAME
    )


def _names(wheels: list[Package]) -> set[str]:
    return {wheel.name for wheel in wheels}


def _clash(
    component: str, wheels: tuple[Package, ...], facts: Facts, knowledge: Knowledge
) -> Clash:
    library = _SAME_NAME.get(component) or _find_shared_soname(wheels)
    major = _cuda_major(facts, knowledge)
    wanted = next((wheel for wheel in wheels if wheel.name.endswith(f"-cu{major}")), None)
    winner = _winner(component, wheels, facts)
    foreign = wanted is not None and (winner is None or winner.name != wanted.name)
    return Clash(
        folder=f"nvidia/{component}",
        packages=wheels,
        library=library,
        winner=winner if library else wanted,
        wanted=wanted,
        breaks=bool(library) and component == "cudnn" and foreign and facts.gpus != (),
    )


def _find_shared_soname(wheels: tuple[Package, ...]) -> str:
    majors = {text(parse(wheel.version or "0"), 1) for wheel in wheels}
    return f"libcudnn.so.{majors.pop()}" if len(majors) == 1 else ""


def _winner(component: str, wheels: tuple[Package, ...], facts: Facts) -> Package | None:
    """The wheel whose file the loader would take."""
    libraries = facts.libraries.candidates(component) if facts.libraries else ()
    owners = [library.package for library in libraries if library.package]
    return next((wheel for name in owners for wheel in wheels if wheel.name == name), None)


def _cuda_major(facts: Facts, knowledge: Knowledge) -> str | None:
    """The major of the CUDA that TensorFlow was built with; None where it is built without."""
    tensorflow = facts.tensorflow
    if tensorflow is None or tensorflow.cuda_build is False:
        return None
    release = knowledge.tensorflow.find(tensorflow.version)
    cuda = tensorflow.cuda or (release.cuda if release else None)
    return text(parse(cuda), 1) if cuda else None
