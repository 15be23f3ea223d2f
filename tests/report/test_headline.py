"""What was judged: a line only where the fact is known."""

import msgspec
import pytest
from report.samples import FACTS, GIB, H200, NO_GPU, library

from fitguard.report.rows.headline import headline
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, Gpu
from fitguard.schema.software import CudaLibraries, Packages, TensorFlow


def line(name: str, **facts: object) -> str | None:
    """One line of the head of these facts."""
    return dict(headline(Facts(**facts))).get(name)  # type: ignore[arg-type]


def test_nothing_known_is_no_line() -> None:
    assert headline(Facts()) == []


def test_all_lines_of_a_machine_with_a_gpu() -> None:
    assert headline(FACTS) == [
        ("System", "Debian GNU/Linux 12 (bookworm) · x86_64 · glibc 2.36 · in docker"),
        ("Python", "3.11.2 · /home/ann/mnist/.venv/bin/python"),
        ("TensorFlow", "2.18.0 · built with CUDA 12.5.1, cuDNN 9"),
        ("Keras", "3.8.0"),
        ("GPU", "NVIDIA H200 · compute capability 9.0 · 140.4 GiB, 138.1 GiB in use"),
        ("Driver", "580.159.04 · supports CUDA up to 13.0"),
        ("CUDA", "runtime 12.5.82, cuBLAS 12.5.3.2, cuDNN 9.1.0 · from pip wheels"),
    ]


def test_no_library_line_where_nothing_would_load_them() -> None:
    assert "CUDA" not in dict(headline(NO_GPU))


def test_equal_gpus_share_a_line() -> None:
    gpus = tuple(msgspec.structs.replace(H200, index=i, used_bytes=i * GIB) for i in range(1, 9))
    assert line("GPU", gpus=gpus) == (
        "8 × NVIDIA H200 · compute capability 9.0 · 140.4 GiB, 1.0 GiB to 8.0 GiB in use"
    )


def test_a_gpu_of_which_only_the_name_is_known() -> None:
    assert line("GPU", gpus=(Gpu(name="Tesla K80"),)) == "Tesla K80"


def test_tensorflow_missing_is_said_only_where_it_is_sure() -> None:
    assert line("TensorFlow", packages=Packages(complete=True)) == "not installed"
    assert line("TensorFlow", packages=Packages()) is None


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        (Driver(), "none found"),
        (Driver(generic=("nouveau",)), "nouveau (generic)"),
        (Driver(version="550.54", kernel_version="535.1"), "550.54 · kernel module 535.1"),
        (Driver(kernel_version="535.1"), "no user-space library · kernel module 535.1"),
    ],
)
def test_drivers(driver: Driver, expected: str) -> None:
    assert line("Driver", driver=driver) == expected


def test_the_library_of_the_major_that_tensorflow_asks_for() -> None:
    found = (library("cudnn", "8", "8.9.7"), library("cudnn", "9", "9.3.0"))
    wanted = TensorFlow(version="2.18.0", cuda_build=True, cudnn="9")
    libraries = CudaLibraries(found=found, complete=True)
    assert line("CUDA", libraries=libraries, tensorflow=wanted) == "cuDNN 9.3.0 · from pip wheels"
    eight = CudaLibraries(found=found[:1], complete=True)
    assert line("CUDA", libraries=eight, tensorflow=wanted) == "no libraries found"


def test_a_library_that_the_loader_does_not_search_is_not_named() -> None:
    unused = msgspec.structs.replace(library("cudnn", "9", "9.3.0"), searched=False)
    assert line("CUDA", libraries=CudaLibraries(found=(unused,))) is None
