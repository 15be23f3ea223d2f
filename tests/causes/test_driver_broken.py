"""A driver that is not loaded, or whose halves differ."""

import pytest
from causes.tell import tell

DRIVER_BROKEN = [
    ("CUDA is lost after waking from suspend, until the nvidia_uvm module is reloaded", {}),
    (
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has "
        "unsupported display driver / cuda driver combination",
        {},
    ),
    ("Error: Could not load UVM kernel module", {}),
    ("No devices were found", {}),
    (
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to "
        "cuInit: CUDA_ERROR_UNKNOWN: unknown error",
        {},
    ),
    (
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90",
        {},
    ),
    (
        "kernel version 418.40.4 does not match DSO version 418.56.0 -- cannot find "
        "working devices in this configuration",
        {},
    ),
    (
        "libcuda reported version is: 390.116.0\nkernel reported version is: 384.130.0",
        {},
    ),
    (
        "failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: "
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: system has unsupported display driver / "
        "cuda driver combination",
        {},
    ),
    (
        "failed call to cuInit: UNKNOWN ERROR (804)",
        {},
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia_uvm': Key was rejected by service",
        {},
    ),
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        {},
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"gpu": "GTX 1080 Ti", "os": "linux-x86_64"},
    ),
    (
        "NVRM: API mismatch: the client has the version 470.141.03, but NVRM: this "
        "kernel module has the version 470.129.06.",
        {},
    ),
]
OTHERS = [
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"gpu": "none"},
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {},
    ),
    (
        "failed call to cuInit: UNKNOWN ERROR (303)\n"
        "kernel driver does not appear to be running on this host (ci): "
        "/proc/driver/nvidia/version does not exist",
        {},
    ),
    (
        "root@3f9b2c71a0de:/# python train.py\n"
        "failed call to cuInit: UNKNOWN ERROR (-1)\n"
        "no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
        {},
    ),
    (
        "kernel version seems to match DSO: 460.32.3",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), DRIVER_BROKEN)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "driver-broken"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "driver-broken"


def test_both_versions_are_named() -> None:
    why = tell("kernel version 455.23.5 does not match DSO version 450.80.2").causes[0].why
    assert "455.23.5" in why
    assert "450.80.2" in why


def test_the_fix_waits_for_the_fabric_manager_on_nvswitch() -> None:
    fix = tell("failed call to cuInit: CUDA_ERROR_SYSTEM_NOT_READY").causes[0].fix
    assert "Fabric Manager" in fix.text
