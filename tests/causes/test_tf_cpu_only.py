"""A TensorFlow that was built without CUDA."""

import pytest
from causes.tell import tell

TF_CPU_ONLY = [
    (
        "pip installed the plain tensorflow beside it, and the training runs on the CPU",
        {"tf": "1.14"},
    ),
    (
        "The log has not a single line about CUDA, only the CPU is used",
        {"tf": "1.12", "gpu": "GTX 1080"},
    ),
    ("The wheel for the Raspberry Pi was put on the Jetson, it uses only the CPU", {}),
    (
        ">>> tf.test.is_built_with_cuda()\nFalse",
        {},
    ),
    (
        "Cannot assign a device for operation 'conv1/weights': node was explicitly "
        "assigned to /device:GPU:1 but available devices are [ "
        "/job:localhost/replica:0/task:0/device:CPU:0 ]. The requested device "
        "appears to be a GPU, but CUDA is not enabled.",
        {},
    ),
    (
        "Could not satisfy explicit device specification '/device:GPU:0' because no "
        "devices matching that specification are registered in this process; "
        "available devices: /job:localhost/replica:0/task:0/cpu:0",
        {},
    ),
    (
        "InvalidArgumentError: Conv2DCustomBackpropFilterOp only supports NHWC.",
        {},
    ),
    (
        "UnimplementedError: The Conv2D op currently only supports the NHWC tensor "
        "format on the CPU. The op was given the format: NCHW",
        {},
    ),
    (
        "The requirements install the CPU version, so tensorflow-gpu gets overwritten",
        {},
    ),
    (
        "Built with CUDA: False\nNum GPUs Available:  0",
        {"os": "linux-x86_64", "gpu": "Tesla T4"},
    ),
    (
        "Available GPUs: []",
        {"tf": "2.15.0", "package": "tensorflow-cpu", "gpu": "RTX 3060", "os": "linux-x86_64"},
    ),
]
OTHERS = [
    (
        "Cannot assign a device for operation w: node w was explicitly assigned to "
        "/device:GPU:5 but available devices are [ "
        "/job:localhost/replica:0/task:0/device:CPU:0, "
        "/job:localhost/replica:0/task:0/device:GPU:0 ]",
        {},
    ),
    (
        "Successfully opened dynamic library libcudart.so.10.0\n"
        "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n"
        "Device mapping: no known devices.",
        {},
    ),
    (
        ">>> tf.test.is_built_with_cuda()\nFalse",
        {"os": "windows", "tf": "2.13.0"},
    ),
    (
        "I tensorflow/core/platform/cpu_feature_guard.cc:141] Your CPU supports "
        "instructions that this TensorFlow binary was not compiled to use: AVX2",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), TF_CPU_ONLY)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "tf-cpu-only"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "tf-cpu-only"


def test_the_fix_names_the_package_of_that_time() -> None:
    answer = tell("Built with CUDA: False", tf="1.13.1", gpu="GTX 1080")
    assert any("tensorflow-gpu==1.13.1" in command for command in answer.causes[0].fix.commands)


def test_without_a_gpu_nothing_is_installed() -> None:
    line = "The requested device appears to be a GPU, but CUDA is not enabled."
    assert tell(line, gpu="none").causes[0].fix.commands == ()
