from pathlib import Path

import pytest
from facts.fake_tree import plant

from fitguard.facts.library_version import version_of
from fitguard.facts.wheels import Wheel

WHEEL = Wheel("nvidia-cudnn-cu12", "9.3.0.75")
CUDNN_8 = "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7\n"


@pytest.mark.parametrize(
    ("component", "name", "version"),
    [
        ("cudart", "libcudart.so.12.2.140", "12.2.140"),
        ("cudnn", "libcudnn.so.8.9.7", "8.9.7"),
        ("cublas", "libcublas.so.12.2.5.6", "12.2.5.6"),
    ],
)
def test_the_file_name_comes_first(tmp_path: Path, component: str, name: str, version: str) -> None:
    assert version_of(component, "soname", tmp_path / name, WHEEL, []) == (version, "file name")


def test_then_the_wheel(tmp_path: Path) -> None:
    plant(tmp_path, {"include/cudnn_version.h": CUDNN_8})
    real = tmp_path / "lib/libcudnn.so.9"
    found = version_of("cudnn", "libcudnn.so.9", real, WHEEL, [])
    assert found == ("9.3.0.75", "wheel nvidia-cudnn-cu12")


def test_then_the_toolkits_own_list(tmp_path: Path) -> None:
    versions = '{"cuda_cudart": {"version": "12.2.140"}}'
    plant(tmp_path, {"version.json": versions, "include/cuda.h": "#define CUDA_VERSION 12020\n"})
    real = tmp_path / "lib64/libcudart.so.12"
    found = version_of("cudart", "libcudart.so.12", real, None, [tmp_path / "other", tmp_path])
    assert found == ("12.2.140", f"{tmp_path}/version.json")
    found = version_of("cudart", "libcudart.so.12", real, None, [])
    assert found == ("12.2", f"{tmp_path}/include/cuda.h")


def test_a_header_of_another_major_belongs_to_another_library(tmp_path: Path) -> None:
    plant(tmp_path, {"include/cudnn_version.h": CUDNN_8})
    old = version_of("cudnn", "libcudnn.so.8", tmp_path / "lib/libcudnn.so.8", None, [])
    new = version_of("cudnn", "libcudnn.so.9", tmp_path / "lib/libcudnn.so.9", None, [])
    assert old == ("8.9.7", f"{tmp_path}/include/cudnn_version.h")
    assert new == ("9", "soname")


@pytest.mark.parametrize(
    ("component", "soname", "version"),
    [
        ("cudart", "libcudart.so.12", "12"),
        ("cudart", "libcudart.so.11.0", "11"),
        ("cudart", "libcudart.so.10.1", "10.1"),
        ("cufft", "libcufft.so.10", "10"),
    ],
)
def test_at_last_the_soname(tmp_path: Path, component: str, soname: str, version: str) -> None:
    real = tmp_path / "lib" / soname
    assert version_of(component, soname, real, None, []) == (version, "soname")
