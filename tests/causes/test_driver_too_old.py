"""A driver that is older than the CUDA."""

import pytest
from causes.tell import tell

DRIVER_TOO_OLD = [
    ("Upgrading the host driver from 418 to 470 fixed the start of the container", {}),
    ("The image needs driver 525 or newer, ours is outdated: the driver version is too low", {}),
    (
        "InternalError: cudaGetDevice() failed. Status: CUDA driver version is "
        "insufficient for CUDA runtime version",
        {},
    ),
    (
        "F tensorflow/core/common_runtime/gpu/gpu_device.cc:1212] cudaSetDevice() on "
        "GPU:0 failed. Status: CUDA driver version is insufficient for CUDA runtime "
        "version",
        {"tf": "1.13.1", "driver": "390.77"},
    ),
    (
        "cudaErrorInsufficientDriver: CUDA driver version is insufficient",
        {},
    ),
    (
        "'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION'",
        {},
    ),
    (
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.3, "
        "please update your driver to a newer version",
        {},
    ),
    (
        "ERROR: This container was built for NVIDIA Driver Release 520.61 or later, "
        "but version 470.82.01 was detected",
        {},
    ),
    (
        "Num GPUs Available:  0",
        {"tf": "2.15.0", "driver": "418.87", "gpu": "Tesla V100", "os": "linux-x86_64"},
    ),
]
OTHERS = [
    (
        "The NVIDIA driver's CUDA version is 12.2 which is older than the ptxas CUDA "
        "version (12.5.40). Because the driver is older than the ptxas version, XLA "
        "is disabling parallel compilation",
        {},
    ),
    (
        "Failed to initialize NVML: Driver/library version mismatch",
        {},
    ),
    (
        "CUDA driver version is insufficient for CUDA runtime version\n"
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
        "driver.",
        {},
    ),
    (
        "Num GPUs Available:  1",
        {"tf": "2.15.0", "driver": "550.54"},
    ),
]


@pytest.mark.parametrize(("text", "known"), DRIVER_TOO_OLD)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "driver-too-old"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "driver-too-old"


def test_the_fix_names_the_least_driver() -> None:
    line = "CUDA driver version is insufficient for CUDA runtime version"
    assert "410.48" in tell(line, tf="1.13.1", os="linux-x86_64").causes[0].fix.text
    assert "411.31" in tell(line, tf="1.13.1", os="windows").causes[0].fix.text


def test_in_a_container_the_driver_is_the_hosts() -> None:
    answer = tell(
        "$ docker run --gpus all tensorflow/tensorflow:2.4.1-gpu python t.py\n"
        "CUDA driver version is insufficient for CUDA runtime version"
    )
    assert "host" in answer.causes[0].fix.text
