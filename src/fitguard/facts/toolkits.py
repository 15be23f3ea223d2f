"""CUDA toolkits on disk, and the nvcc on PATH."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fitguard.facts import child_process
from fitguard.facts.headers import read_encoded_version
from fitguard.schema.software import Toolkit

VARIABLES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_DIR")
SIGNS = (
    *("bin/nvcc", "version.json", "version.txt", "include/cuda.h", "nvvm/libdevice"),
    *("lib64/libcudart.so*", "lib/libcudart.so*"),
)
LIBRARY_DIRECTORIES = ("lib64", "lib", "targets/*/lib", "extras/CUPTI/lib64")

_NVCC_LIMIT_SECONDS = 2.0
_LARGEST_SCRIPT_BYTES = 4096


@dataclass(frozen=True)
class Nvcc:
    """The compiler on PATH; `real` is the program behind links and wrappers."""

    path: Path
    real: Path


def find(environment: Mapping[str, str], nvcc: Nvcc | None, root: Path) -> tuple[Toolkit, ...]:
    """Every toolkit in the usual directories, in those that variables name, and nvcc's own."""
    found: dict[Path, Toolkit] = {}
    for path, named_by in _candidates(environment, nvcc, root):
        real = Path(os.path.realpath(path))
        if real not in found and any(any(real.glob(sign)) for sign in SIGNS):
            version, source = _version(real)
            origin = f"{named_by}, version from {source}" if source else named_by
            found[real] = Toolkit(version, str(real), (real / "bin/nvcc").exists(), origin)
    return tuple(found.values())


def library_directories(toolkit: Toolkit) -> Iterator[Path]:
    """Where a toolkit keeps its libraries."""
    for pattern in LIBRARY_DIRECTORIES:
        yield from sorted(Path(toolkit.path).glob(pattern))


def component_version(toolkit: Path, component: str) -> str | None:
    """The version of one component in the toolkit's version.json: `cuda_cudart`, `libcublas` …"""
    try:
        held = json.loads((toolkit / "version.json").read_bytes())
        return str(held[component]["version"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def find_nvcc(environment: Mapping[str, str]) -> Nvcc | None:
    """The nvcc on PATH. A short shell script in its place is followed to what it runs."""
    name = shutil.which("nvcc", path=environment.get("PATH", ""))
    if name is None:
        return None
    real = Path(os.path.realpath(name))
    try:
        if real.stat().st_size <= _LARGEST_SCRIPT_BYTES:
            target = re.search(r"(/[^\s\"']*/bin/nvcc)\b", real.read_text(errors="replace"))
            if target and Path(target[1]).exists():
                real = Path(os.path.realpath(target[1]))
    except OSError:
        pass
    return Nvcc(Path(name), real)


def nvcc_version(
    nvcc: Nvcc, toolkits: tuple[Toolkit, ...], environment: Mapping[str, str]
) -> str | None:
    """What nvcc compiles for: its toolkit tells, or else it says so itself."""
    home = str(nvcc.real.parent.parent)
    for toolkit in toolkits:
        if toolkit.path == home and toolkit.version:
            return toolkit.version
    try:
        outcome = child_process.run([str(nvcc.path), "--version"], environment, _NVCC_LIMIT_SECONDS)
    except OSError:
        return None
    said = re.search(rb"release (\d+\.\d+)(?:, V(\d+(?:\.\d+)+))?", outcome.stdout)
    return (said[2] or said[1]).decode() if said else None


def _candidates(
    environment: Mapping[str, str], nvcc: Nvcc | None, root: Path
) -> Iterator[tuple[Path, str]]:
    for name in VARIABLES:
        if environment.get(name):
            yield Path(environment[name]), f"${name}"
    for parent in (root / "usr/local", root / "opt"):
        for path in sorted(parent.glob("cuda*")):
            yield path, f"in {parent}"
    for path in (root / "usr/lib/cuda", root / "usr/lib/nvidia-cuda-toolkit"):
        yield path, f"in {path.parent}"
    if nvcc is not None and nvcc.real.parent.name == "bin":
        yield nvcc.real.parent.parent, "nvcc on PATH"


def _version(path: Path) -> tuple[str | None, str | None]:
    """The toolkit's version, and what tells it."""
    if version := component_version(path, "cuda"):
        return version, "version.json"
    try:
        text = (path / "version.txt").read_text(errors="replace")
    except OSError:
        text = ""
    if match := re.search(r"CUDA Version (\d+(?:\.\d+)+)", text):
        return match[1], "version.txt"
    if match := re.fullmatch(r"cuda-(\d+\.\d+)(\.\d+)*", path.name):
        return path.name.removeprefix("cuda-"), "the directory's name"
    if version := read_encoded_version(path / "include/cuda.h", "CUDA_VERSION"):
        return version, "include/cuda.h"
    return None, None
