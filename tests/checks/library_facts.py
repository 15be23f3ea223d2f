"""Builds what a search of the machine finds: whole toolkits, wheels, single libraries."""

from pathlib import PurePosixPath

import msgspec

from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.knowledge import knowledge
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import CudaLibraries, Library, TensorFlow

T4 = Gpu(name="Tesla T4", compute_capability="7.5", origin="NVML")
WHEELS = "/venv/lib/python3.11/site-packages/nvidia"


# How a command keeps what LD_LIBRARY_PATH holds already.
KEPT = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"


def what_if(*arguments: str) -> Facts:
    return suppose(parse_arguments(arguments))


def library(path: str, version: str | None, found_by: str = "ld.so.cache", **more) -> Library:
    soname = PurePosixPath(path).name
    return Library(
        component=soname.removeprefix("lib").partition(".so")[0],
        soname=soname,
        path=path,
        version=version,
        found_by=found_by,
        **more,
    )


def toolkit(cuda: str, found_by: str = "ld.so.cache", **more) -> list[Library]:
    """All libraries of a toolkit in /usr/local."""
    return [
        library(
            f"/usr/local/cuda-{cuda}/lib64/{soname}",
            cuda if component == "cudart" else None,
            found_by,
            **more,
        )
        for component, soname in knowledge().cuda.sonames(cuda).items()
    ]


def wheels(cuda: str, found_by: str = "RUNPATH of libtensorflow_cc.so.2", **more) -> list[Library]:
    """All libraries of a CUDA as pip installs them."""
    major = cuda.partition(".")[0]
    return [
        library(
            f"{WHEELS}/{component}/lib/{soname}",
            f"{cuda}.99" if component == "cudart" else None,
            found_by,
            package=f"nvidia-{component}-cu{major}",
            **more,
        )
        for component, soname in knowledge().cuda.find_requested_sonames(cuda, "2.15.1").items()
    ]


def machine(
    tensorflow: str,
    found: list[Library],
    gpus: tuple[Gpu, ...] | None = (T4,),
    **libraries: object,
) -> Facts:
    """A machine that was searched through, with a CUDA build of TensorFlow."""
    return Facts(
        tensorflow=TensorFlow(
            version=tensorflow, package="tensorflow", cuda_build=True, origin="build_info.py"
        ),
        libraries=msgspec.convert(
            {"found": found, "complete": True, "library_path": (), **libraries}, CudaLibraries
        ),
        gpus=gpus,
    )
