from pathlib import Path

import pytest
from facts.fake_site import build_library

from fitguard.facts.tensorflow_build import FoundTensorFlow, read_tensorflow
from fitguard.schema.software import TensorFlow


def tensorflow(build: dict, *libraries: Path) -> TensorFlow:
    found = read_tensorflow(
        FoundTensorFlow(
            location="/site/tensorflow",
            origin="build_info.py",
            version="2.10.0",
            build=build,
            libraries=tuple(map(str, libraries)),
        )
    )
    assert found is not None
    return found


def test_the_dictionary_of_today() -> None:
    found = tensorflow(
        {
            "is_cuda_build": True,
            "cuda_version": "12.5.1",
            "cudnn_version": "9",
            "cuda_compute_capabilities": ["sm_60", "compute_90"],
        }
    )
    assert (found.cuda_build, found.cuda, found.cudnn) == (True, "12.5.1", "9")
    assert found.capabilities == ("sm_60", "compute_90")
    assert found.origin == "build_info.py"


def test_the_variables_of_old() -> None:
    build = {"is_cuda_build": True, "cuda_version_number": "9.0", "cudnn_version_number": "7"}
    found = tensorflow(build)
    assert (found.cuda_build, found.cuda, found.cudnn) == (True, "9.0", "7")
    assert found.capabilities is None


def test_a_build_for_the_cpu() -> None:
    found = tensorflow({"is_cuda_build": False})
    assert (found.cuda_build, found.cuda, found.cudnn) == (False, None, None)


@pytest.mark.parametrize(
    ("written", "meant"), [("64_112", "11.2"), ("64_101", "10.1"), ("10.1", "10.1"), ("", None)]
)
def test_versions_of_windows_builds(written: str, meant: str | None) -> None:
    assert tensorflow({"cuda_version": written}).cuda == meant


def test_the_cudnn_of_windows_builds() -> None:
    assert tensorflow({"cudnn_version": "64_8"}).cudnn == "8"


def test_capabilities_as_people_write_them() -> None:
    found = tensorflow({"cuda_compute_capabilities": ["7.5", "12.0", "sm_80"]})
    assert found.capabilities == ("compute_75", "compute_120", "sm_80")


def test_values_of_the_wrong_type_are_unknown() -> None:
    found = tensorflow({"is_cuda_build": "yes", "cuda_version": 12, "cudnn_version": None})
    assert (found.cuda_build, found.cuda, found.cudnn) == (None, None, None)
    assert tensorflow({"cuda_compute_capabilities": "sm_60"}).capabilities is None


def test_what_tensorflow_is_linked_against_tells_where_nothing_else_does(tmp_path: Path) -> None:
    runtime = build_library(tmp_path / "libcudart.so.8.0", "-Wl,-soname,libcudart.so.8.0")
    cudnn = build_library(tmp_path / "libcudnn.so.6", "-Wl,-soname,libcudnn.so.6")
    own = build_library(tmp_path / "own.so", "-Wl,--no-as-needed", str(runtime), str(cudnn))
    found = tensorflow({}, own)
    assert (found.cuda_build, found.cuda, found.cudnn) == (True, "8.0", "6")


def test_no_version_is_no_tensorflow() -> None:
    assert read_tensorflow(FoundTensorFlow(location="/site/tensorflow", origin="")) is None
