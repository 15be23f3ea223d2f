"""A CUDA library that is not found, in the words of all eras."""

import pytest
from causes.tell import tell

CUDA_MISSING = [
    ("TF 2.8 searches for CUDA 11.2 while the node only has 12.1, so no GPU is used.", {}),
    (
        "Our image has CUDA 9.2, but the wheel was built with CUDA 9.0 and asks for "
        "libcublas.so.9.0",
        {},
    ),
    (
        "FileNotFoundError: Could not find module 'cusolver64_11.dll' (or one of its "
        "dependencies).",
        {},
    ),
    ("It complains about libcusparse.so.12 at every start", {}),
    (
        "ImportError: libcudart.so.9.0: cannot open shared object file: No such file or directory",
        {},
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libcusparse.so.11'; dlerror: libcusparse.so.11: "
        "cannot open shared object file\n"
        "Cannot dlopen some GPU libraries. Please make sure the missing libraries "
        "mentioned above are installed\n"
        "Skipping registering GPU devices...",
        {},
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
        {"os": "windows", "tf": "2.5.0", "cuda": "10.1", "gpu": "GTX 1660"},
    ),
    (
        "ImportError: Could not find 'cudart64_80.dll'. TensorFlow requires that "
        "this DLL be installed in a directory that is named in your %PATH% "
        "environment variable.",
        {},
    ),
    (
        "I tensorflow/stream_executor/dso_loader.cc:119] Couldn't open CUDA library "
        "libcublas.so.7.5. LD_LIBRARY_PATH: /usr/lib",
        {},
    ),
    (
        "Could not find cuda drivers on your machine, GPU will not be used.\n"
        "Num GPUs Available:  0",
        {"tf": "2.14.0", "gpu": "A100", "os": "linux-x86_64"},
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {"tf": "2.3.1", "cuda": "11.0", "gpu": "RTX 2080", "os": "windows"},
    ),
    (
        "PhysicalDevice(name='/physical_device:XLA_GPU:0', device_type='XLA_GPU')]\nNum GPUs:  0",
        {"tf": "2.2.0"},
    ),
]
OTHERS = [
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: "
        "cannot open shared object file\n"
        "Ignore above cudart dlerror if you do not have a GPU set up on your machine.",
        {"gpu": "none"},
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot "
        "open shared object file",
        {},
    ),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libcudart.so.10.1'; dlerror: libcudart.so.10.1: "
        "cannot open shared object file\n"
        "TypeError: Descriptors cannot be created directly.",
        {},
    ),
    (
        "Num GPUs Available:  2",
        {"tf": "2.9.0"},
    ),
    (
        "tf.config.list_physical_devices('GPU') gives []",
        {"os": "windows", "tf": "2.16.1"},
    ),
]


@pytest.mark.parametrize(("text", "known"), CUDA_MISSING)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "cuda-missing"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "cuda-missing"


def test_the_fix_names_the_cuda_of_the_release() -> None:
    answer = tell(
        "Could not load dynamic library 'libcublas.so.11'; dlerror: not found", tf="2.4.1"
    )
    fix = answer.causes[0].fix
    assert "CUDA 11.0" in fix.text
    assert any("cudatoolkit=11.0" in command for command in fix.commands)


def test_without_a_version_the_name_of_the_library_tells() -> None:
    answer = tell("ImportError: libcublas.so.10.0: cannot open shared object file")
    assert "CUDA 10.0" in answer.causes[0].why
    assert "TensorFlow 1.13 to 2.0" in answer.causes[0].fix.text


def test_from_2_14_on_pip_brings_it() -> None:
    answer = tell("Skipping registering GPU devices...", tf="2.16.1", gpu="RTX 4090")
    assert answer.causes[0].cause == "cuda-missing"
    install = 'python -m pip install "tensorflow[and-cuda]==2.16.1"'
    assert answer.causes[0].fix.commands[0] == install


def test_the_runtime_alone_decides_nothing_where_no_gpu_is_known() -> None:
    answer = tell("Could not load dynamic library 'libcudart.so.11.0'; dlerror: not found")
    assert answer.primary is None
    assert answer.causes[0].cause == "cuda-missing"
