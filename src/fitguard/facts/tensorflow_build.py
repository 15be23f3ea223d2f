"""TensorFlow as its own files describe it, in the words of the schema."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from fitguard.facts import elf
from fitguard.schema.software import TensorFlow


class FoundTensorFlow(msgspec.Struct):
    """What the agent found, as it stands in the files.

    Args:
        build: What `build_info.py` assigns.
        libraries: TensorFlow's own shared libraries.
    """

    location: str
    origin: str
    package: str | None = None
    version: str | None = None
    build: dict[str, Any] = {}
    libraries: tuple[str, ...] = ()


def read_tensorflow(found: FoundTensorFlow) -> TensorFlow | None:
    """The TensorFlow that was found; None where nothing tells its version."""
    if found.version is None:
        return None
    build = found.build
    cuda = _version(build.get("cuda_version") or build.get("cuda_version_number"))
    cudnn = _version(build.get("cudnn_version") or build.get("cudnn_version_number"))
    needed = _read_needed_versions(found.libraries) if cuda is None else {}
    is_cuda = build.get("is_cuda_build", True if "cudart" in needed else None)
    return TensorFlow(
        version=found.version,
        package=found.package,
        cuda_build=is_cuda if isinstance(is_cuda, bool) else None,
        cuda=cuda or needed.get("cudart"),
        cudnn=cudnn or needed.get("cudnn"),
        capabilities=_capabilities(build.get("cuda_compute_capabilities")),
        location=found.location,
        origin=found.origin,
    )


def _version(text: object) -> str | None:
    """Builds for Windows write the suffix of the DLL: `64_112` is CUDA 11.2, `64_8` cuDNN 8."""
    if not isinstance(text, str) or not text:
        return None
    if match := re.fullmatch(r"64_(\d+)(\d)", text):
        return f"{match[1]}.{match[2]}"
    return text.removeprefix("64_")


def _capabilities(names: object) -> tuple[str, ...] | None:
    """`7.5` is how people write `compute_75` when they build TensorFlow themselves."""
    if not isinstance(names, list):
        return None
    return tuple(re.sub(r"^(\d+)\.(\d)$", r"compute_\1\2", str(name)) for name in names)


def _read_needed_versions(libraries: Sequence[str]) -> dict[str, str]:
    """Before 1.14 TensorFlow was linked against CUDA: the names it needs tell the versions."""
    found = {}
    for path in libraries:
        for name in (elf.read(Path(path)) or elf.Elf()).needed:
            if match := re.fullmatch(r"lib(cudart|cudnn)\.so\.([\d.]+)", name):
                found[match[1]] = match[2]
    return found
