"""The ptxas and the libdevice.10.bc that XLA would find, in XLA's own order.

That order stands in `cuda_root_path.cc` and `subprocess_compilation.cc`. XLA does not ask for
CUDA_HOME.

    --xla_gpu_cuda_data_dir of XLA_FLAGS, by default ./cuda_sdk_lib
    PATH (for ptxas only)
    the CUDA that TensorFlow was built with, /usr/local/cuda, /opt/cuda
    the nvcc wheel beside TensorFlow, TensorFlow's own cuda directory, its conda environment
    the current directory
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_LIBDEVICE = "libdevice.10.bc"
_WHEELS = ("nvidia/cuda_nvcc", "nvidia/cu13")


def find_ptxas(environment: Mapping[str, str], roots: Sequence[Path]) -> Path | None:
    """The assembler that XLA would run."""
    on_path = shutil.which("ptxas", path=environment.get("PATH", ""))
    candidates = [root / "bin/ptxas" for root in roots]
    if on_path:
        candidates.insert(1, Path(on_path))
    usable = (path for path in candidates if path.is_file() and os.access(path, os.X_OK))
    return next(map(Path.absolute, usable), None)


def find_libdevice(roots: Sequence[Path]) -> Path | None:
    """The bitcode file that XLA would link."""
    candidates = [root / "nvvm/libdevice" / _LIBDEVICE for root in roots]
    there = (path for path in [*candidates, Path(_LIBDEVICE)] if path.is_file())
    return next(map(Path.absolute, there), None)


def cuda_roots(
    environment: Mapping[str, str],
    tensorflow_libraries: Sequence[Path],
    cuda_build: str | None,
    root: Path,
) -> list[Path]:
    """The directories in which XLA looks for a toolkit; the first is what the user chose."""
    build = ".".join(cuda_build.split(".")[:2]) if cuda_build else None
    chosen = re.search(r"--xla_gpu_cuda_data_dir=(\S+)", environment.get("XLA_FLAGS", ""))
    return [
        Path(chosen[1].strip("\"'") if chosen else "cuda_sdk_lib"),
        *([root / f"usr/local/cuda-{build}"] if build else []),
        root / "usr/local/cuda",
        root / "opt/cuda",
        *_beside(tensorflow_libraries),
        Path(),
    ]


def _beside(tensorflow_libraries: Sequence[Path]) -> Iterator[Path]:
    """What XLA finds from the directory of TensorFlow's own library."""
    directories = (path.parent for path in tensorflow_libraries)
    modules = (path.parent if path.name == "python" else path for path in directories)
    for module in dict.fromkeys(modules):
        for name in _WHEELS:
            yield module.parent / name
        yield module / "cuda"
        if len(module.parents) > 3:
            yield module.parents[3]
