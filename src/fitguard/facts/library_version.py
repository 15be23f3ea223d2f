"""The version of one library, from the best source that tells it.

A library has its own version: only the CUDA runtime and NVRTC bear that of the toolkit.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from fitguard.facts.headers import read_encoded_version, read_split_version
from fitguard.facts.toolkits import component_version
from fitguard.facts.wheels import Wheel

# Under what name the version.json of a toolkit holds a component.
_IN_TOOLKIT = {
    "cudart": "cuda_cudart",
    "cublas": "libcublas",
    "cublasLt": "libcublas",
    "cufft": "libcufft",
    "curand": "libcurand",
    "cusolver": "libcusolver",
    "cusparse": "libcusparse",
    "cupti": "cuda_cupti",
    "nvrtc": "cuda_nvrtc",
    "nvjitlink": "libnvjitlink",
}
_CUBLAS = ("CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH")
_CUDNN = ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")
_TENSORRT = ("NV_TENSORRT_MAJOR", "NV_TENSORRT_MINOR", "NV_TENSORRT_PATCH")
_IN_HEADERS: dict[str, dict[str, tuple[str, ...]]] = {
    "cudart": {"cuda_runtime_api.h": ("CUDART_VERSION",), "cuda.h": ("CUDA_VERSION",)},
    "cublas": {"cublas_api.h": _CUBLAS},
    "cublasLt": {"cublas_api.h": _CUBLAS},
    "cudnn": {"cudnn_version.h": _CUDNN, "cudnn.h": _CUDNN},
    "nccl": {"nccl.h": ("NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH")},
    "nvinfer": {"NvInferVersion.h": _TENSORRT},
    "nvinfer_plugin": {"NvInferVersion.h": _TENSORRT},
}
_FULL_VERSION_PARTS = 3


def version_of(
    component: str, soname: str, real: Path, wheel: Wheel | None, toolkits: Sequence[Path]
) -> tuple[str, str]:
    """The version of a library, and where it was read.

    Args:
        real: The file behind all links.
        wheel: The wheel that it came with.
        toolkits: The toolkits on disk; it may lie in one of them.
    """
    in_name = real.name.partition(".so.")[2]
    if in_name.count(".") >= _FULL_VERSION_PARTS - 1:
        return in_name, "file name"
    if wheel is not None:
        return wheel.version, f"wheel {wheel.name}"
    for toolkit in toolkits:
        name = _IN_TOOLKIT.get(component, "")
        if toolkit in real.parents and (version := component_version(toolkit, name)):
            return version, f"{toolkit}/version.json"
    for version, header in _from_headers(component, real):
        if version.partition(".")[0] == _from_soname(soname).partition(".")[0]:
            return version, str(header)
    return _from_soname(soname), "soname"


def _from_headers(component: str, real: Path) -> Iterator[tuple[str, Path]]:
    include = [real.parents[depth] / "include" for depth in (1, 2) if depth < len(real.parents)]
    for directory in include:
        for name, macros in _IN_HEADERS.get(component, {}).items():
            header = directory / name
            if len(macros) == 1:
                version = read_encoded_version(header, macros[0])
            else:
                version = read_split_version(header, macros)
            if version:
                yield version, header


def _from_soname(soname: str) -> str:
    """`libcudart.so.12` → 12. All of CUDA 11 is called `.so.11.0`; before, the minor was in it."""
    numbers = re.sub(r"^.*\.so\.", "", soname)
    major = numbers.partition(".")[0]
    return numbers if major.isdecimal() and int(major) < 11 else major
