"""A GPU that is too old or too new."""

import pytest
from causes.tell import tell

GPU_ARCH_UNSUPPORTED = [
    ("TensorFlow 2.18 does not support the new RTX 5080 yet", {}),
    ("Our K40 has compute capability 3.5, which is no longer in this build", {}),
    (
        "Ignoring visible gpu device (device: 0, name: Tesla K10.G2.8GB, pci bus id: "
        "0000:05:00.0, compute capability: 3.0) with Cuda compute capability 3.0. "
        "The minimum required Cuda capability is 3.7.",
        {},
    ),
    (
        "F ./tensorflow/core/kernels/random_op_gpu.h:246] Non-OK-status: "
        "GpuLaunchKernel(FillPhiloxRandomKernelLaunch) status: Internal: no kernel "
        "image is available for execution on the device",
        {"tf": "2.3.0", "gpu": "GeForce 940MX"},
    ),
    (
        "Internal: device kernel image is invalid",
        {"gpu": "GTX 745"},
    ),
    (
        "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device",
        {},
    ),
    (
        "'cuLaunchKernel(function)' failed with 'CUDA_ERROR_INVALID_HANDLE'",
        {"tf": "2.19.0", "gpu": "RTX 5070"},
    ),
    (
        "TensorFlow was not built with CUDA kernel binaries compatible with compute "
        "capability 12.0a. CUDA kernels will be jit-compiled from PTX\n"
        "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed",
        {},
    ),
    (
        "CUDNN_STATUS_ARCH_MISMATCH",
        {"gpu": "Tesla M2090"},
    ),
]
OTHERS = [
    (
        "ptxas fatal   : Unresolved extern function '__nv_powf'",
        {},
    ),
    (
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
        {"gpu": "GTX 1080", "tf": "1.13.1"},
    ),
    (
        "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 9000 MB "
        "memory:  -> device: 0, name: RTX 2080 Ti, pci bus id: 0000:01:00.0, compute "
        "capability: 7.5",
        {"tf": "2.9.0"},
    ),
    (
        "'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION'",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), GPU_ARCH_UNSUPPORTED)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "gpu-arch-unsupported"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "gpu-arch-unsupported"


def test_the_fix_names_the_newest_release_for_an_old_gpu() -> None:
    answer = tell(
        "Ignoring visible gpu device (device: 0, name: Quadro K600, pci bus id: 0000:01:00.0) with "
        "Cuda compute capability 3.0. The minimum required Cuda capability is 3.5."
    )
    assert "3.0" in answer.causes[0].why
    assert "TensorFlow 1." in answer.causes[0].fix.text


def test_a_small_gpu_is_let_in_by_a_variable() -> None:
    answer = tell(
        "Ignoring visible gpu device (device: 1, name: GT 1030, pci bus id: 0000:02:00.0) with "
        "core count: 3. The minimum required count is 8."
    )
    assert answer.causes[0].fix.commands[0] == "export TF_MIN_GPU_MULTIPROCESSOR_COUNT=3"
