"""A container or WSL without the GPU."""

import pytest
from causes.tell import tell

CONTAINER_GPU_ACCESS = [
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"container": "docker, own image"},
    ),
    (
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
        {"container": "kubernetes (GKE)"},
    ),
    ("During docker build there is no GPU and the import of libcuda fails", {}),
    (
        'docker: Error response from daemon: could not select device driver "nvidia" '
        "with capabilities: [[gpu compute]].",
        {},
    ),
    (
        "docker: Error response from daemon: unknown or invalid runtime name: nvidia.",
        {},
    ),
    (
        "nvidia-container-cli: initialization error: load library failed: "
        "libnvidia-ml.so.1: cannot open shared object file: no such file or "
        "directory: unknown",
        {},
    ),
    (
        "root@91c2d3e4f5a6:/app# python train.py\n"
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to "
        "cuInit: UNKNOWN ERROR (-1)",
        {},
    ),
    (
        "$ docker run -it tensorflow/tensorflow:1.15.2-gpu bash\n"
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or "
        "directory",
        {},
    ),
    (
        "Inside the container TensorFlow does not find any GPU, while it works on the host.",
        {},
    ),
    (
        "0/6 nodes are available: 6 Insufficient nvidia.com/gpu.",
        {},
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"os": "wsl2", "tf": "2.13.0", "gpu": "RTX 3050"},
    ),
    (
        "Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: "
        "cannot open shared object file\n"
        "no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
        {},
    ),
]
OTHERS = [
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"gpu": "none"},
    ),
    (
        "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error",
        {"gpu": "GTX 1070", "os": "linux-x86_64"},
    ),
    (
        "nvidia-container-cli: initialization error: nvml error: driver/library "
        "version mismatch: unknown",
        {},
    ),
    (
        "train_1 exited with code 137 in docker",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), CONTAINER_GPU_ACCESS)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "container-gpu-access"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "container-gpu-access"


def test_in_wsl_the_fix_is_for_wsl() -> None:
    line = "Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open"
    answer = tell(line, os="wsl2")
    assert answer.causes[0].cause == "container-gpu-access"
    assert any("/usr/lib/wsl/lib" in command for command in answer.causes[0].fix.commands)


def test_in_docker_the_fix_asks_for_the_gpu() -> None:
    answer = tell("WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be")
    assert "--gpus all" in answer.causes[0].fix.text
