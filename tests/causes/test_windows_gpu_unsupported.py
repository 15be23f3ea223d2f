"""Native Windows, TensorFlow 2.11 and later."""

import pytest
from causes.tell import tell

WINDOWS_GPU_UNSUPPORTED = [
    ("Only CPU mode on native Windows since the upgrade", {"tf": "2.13", "os": "windows"}),
    (
        "The GPU is not detected",
        {"tf": "2.17", "os": "Win11", "install": "pip tensorflow[and-cuda]"},
    ),
    (
        "Num GPUs Available:  0",
        {"os": "windows", "tf": "2.11.0"},
    ),
    (
        "tf.config.list_physical_devices('GPU') returns []",
        {"os": "Windows 11", "tf": "2.17.0", "gpu": "RTX 4060"},
    ),
    (
        "My GPU is not detected though PyTorch uses it",
        {"os": "Windows 10", "tf": "2.15", "cuda": "12.2"},
    ),
    (
        "Built with CUDA: False",
        {"os": "windows", "tf": "2.19.0"},
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {"os": "windows", "tf": "2.12.0", "gpu": "GTX 1080"},
    ),
    (
        "TensorFlow GPU support is not available on native Windows for TensorFlow >= "
        "2.11. Even if CUDA/cuDNN are installed, GPU will not be used.",
        {},
    ),
]
OTHERS = [
    (
        "Num GPUs Available:  0",
        {"os": "windows", "tf": "2.10.1", "cuda": "12.1", "gpu": "RTX 3070"},
    ),
    (
        "Num GPUs Available:  0",
        {"os": "Windows 11 WSL2", "tf": "2.14.0"},
    ),
    (
        "Num GPUs Available:  0",
        {"os": "linux-x86_64", "tf": "2.14.0"},
    ),
    (
        "OOM when allocating tensor with shape[64,512,512,3]",
        {"os": "windows", "tf": "2.10.0"},
    ),
]


@pytest.mark.parametrize(("text", "known"), WINDOWS_GPU_UNSUPPORTED)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "windows-gpu-unsupported"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "windows-gpu-unsupported"


def test_the_fix_leads_to_wsl_or_to_the_last_release() -> None:
    fix = tell("Num GPUs Available:  0", os="windows", tf="2.13.0", gpu="RTX 3060").causes[0].fix
    assert "WSL2" in fix.text
    assert "2.10.1" in fix.text


def test_without_a_version_it_is_one_possibility() -> None:
    answer = tell("Num GPUs Available:  0", os="windows")
    assert answer.primary is None
    assert answer.causes[0].cause == "windows-gpu-unsupported"
