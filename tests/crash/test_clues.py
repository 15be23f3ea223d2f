"""What the log tells of the machine: used where the user says nothing, and never a guess."""

from pathlib import Path

import pytest

from fitguard.crash.clues import Clue, clues
from fitguard.crash.explanation import explain
from fitguard.crash.given import combine_facts, findings
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Line
from fitguard.schema.facts import Facts
from fitguard.schema.software import CudaLibraries, Library, TensorFlow

RECOGNISER = Recogniser(knowledge().signatures)
OPENED = "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened "
CREATED = (
    "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 5000 MB memory:  -> device: "
    "0, name: NVIDIA GeForce RTX 4090, pci bus id: 0000:01:00.0, compute capability: 8.9"
)


def told(*lines: str) -> dict[str, Clue]:
    """The clues in a log."""
    return clues(
        RECOGNISER.signals([Line(n, text, "train.log") for n, text in enumerate(lines, 1)])
    )


def values(*lines: str) -> dict[str, str]:
    return {key: clue.value for key, clue in told(*lines).items()}


def facts(*lines: str, **what_if: str) -> Facts:
    return combine_facts(None, what_if, told(*lines))[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            '  File "/opt/venv/lib/python3.10/site-packages/keras/engine/training.py", line 1',
            {"python": "3.10"},
        ),
        ('  File "/usr/lib64/python2.7/site-packages/keras/models.py", line 5', {"python": "2.7"}),
        (
            r'  File "D:\Programs\Python310\lib\site-packages\keras\src\utils.py", line 70',
            {"os": "windows", "python": "3.10"},
        ),
        (
            r'  File "C:\Users\ann lee\anaconda3\envs\tf\lib\site-packages\keras\a.py", line 7',
            {"os": "windows"},
        ),
        ("Python 3.7.9 (tags/v3.7.9:13c94747c7, Aug 17 2020, 18:58:18)", {"python": "3.7.9"}),
        ("[MSC v.1900 64 bit (AMD64)] on win32", {"os": "windows"}),
        ("LD_LIBRARY_PATH: /usr/lib/wsl/lib", {"os": "wsl2"}),
        ("ImportError: dlopen(/x/_impl.cpython-310-darwin.so, 2): none", {"os": "macos"}),
        ("tensorflow version: 2.11.0", {"tf": "2.11.0"}),
        ("TensorFlow Version: v1.14.0", {"tf": "1.14.0"}),
        ("tensorflow-gpu==2.3.1", {"tf": "2.3.1", "package": "tensorflow-gpu"}),
        (
            "Successfully installed absl-py-1.4.0 tensorflow-2.12.0 tensorflow-estimator-2.12.0",
            {"tf": "2.12.0"},
        ),
        ("| NVIDIA-SMI 440.100  Driver Version: 440.100  CUDA 10.2 |", {"driver": "440.100"}),
        ("cuda_diagnostics.cc:204] kernel reported version is: 390.48.0", {"driver": "390.48.0"}),
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  418.87.00", {"driver": "418.87.00"}),
        ("cuda_dnn.cc:384] Loaded cuDNN version 8101", {"cudnn": "8.1.1"}),
        ("Loaded cuDNN version 90300", {"cudnn": "9.3.0"}),
        (OPENED + "dynamic library libcudart.so.10.1", {"cuda": "10.1"}),
        (OPENED + "dynamic library libcudart.so.11.0", {"cuda": "11"}),
        (OPENED + "dynamic library libcudart.so.12", {"cuda": "12"}),
        (OPENED + "dynamic library cudart64_101.dll", {"cuda": "10.1"}),
        (OPENED + "dynamic library cudart64_90.dll", {"cuda": "9.0"}),
        (OPENED + "dynamic library cudart64_110.dll", {"cuda": "11"}),
        (OPENED + "dynamic library cudart64_12.dll", {"cuda": "12"}),
        (CREATED, {"gpu": "NVIDIA GeForce RTX 4090", "compute-capability": "8.9"}),
        (
            "name: Tesla K80 major: 3 minor: 7 memoryClockRate(GHz): 0.8235",
            {"gpu": "Tesla K80", "compute-capability": "3.7"},
        ),
    ],
)  # fmt: skip
def test_a_line_tells(line: str, expected: dict[str, str]) -> None:
    assert values(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "ImportError: Keras requires TensorFlow version 2.2 or higher",
        "TensorFlow Probability requires TensorFlow version >= 2.16; Detected 2.15.0.",
        "ERROR: No matching distribution found for tensorflow==1.15.0",
        "pip install tensorflow==2.3.0",
        "tensorflow-addons is only compatible with TensorFlow version 2.12.0",
        "The TensorFlow version 2.9.0 was built with another compiler",
        "keras 2.6.0 requires tensorflow==2.6.0",
        "Could not load dynamic library 'libcudart.so.11.0'; dlerror: cannot open shared object",
        "Could not find 'cudart64_90.dll'. TensorFlow requires that this DLL be installed",
        "Loaded runtime CuDNN library: 8.0.4 but source was compiled with: 8.1.0.",
        "with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
        "CUDA Version: 12.2",
        "see https://github.com/tensorflow/tensorflow/issues/2758",
        "The NVIDIA driver's CUDA version is 12.2 older than the ptxas CUDA version (12.5)",
        "in C:\\data\\train.csv",
        "/usr/lib/python3/dist-packages/six.py",
    ],
)
def test_what_is_asked_for_or_missing_is_no_fact(line: str) -> None:
    assert values(line) == {}


def test_the_first_line_counts() -> None:
    assert values("tensorflow version: 2.9.1", "tensorflow version: 2.3.0") == {"tf": "2.9.1"}


def test_the_origin_is_the_line() -> None:
    known = facts("Epoch 1/2", "tensorflow version: 2.9.1", CREATED)
    assert known.tensorflow == TensorFlow(version="2.9.1", origin="train.log, line 2")
    assert known.gpus is not None
    assert known.gpus[0].origin == "train.log, line 3"
    assert (known.gpus[0].compute_capability, known.gpus[0].memory_bytes) == ("8.9", 24 * 2**30)


def test_libraries_name_the_line_too() -> None:
    libraries = facts(OPENED + "dynamic library libcudart.so.10.1").libraries
    assert libraries is not None
    assert [library.found_by for library in libraries.found] == ["train.log, line 1"]


def test_the_user_is_right() -> None:
    known = facts("tensorflow version: 2.9.1", CREATED, tf="2.10", gpu="GTX 1060 6GB")
    assert known.tensorflow is not None
    assert (known.tensorflow.version, known.tensorflow.origin) == ("2.10.1", "--what-if tf=2.10")
    assert known.gpus is not None
    assert [gpu.compute_capability for gpu in known.gpus] == ["6.1"]


def test_the_user_says_one_half_and_the_log_the_other() -> None:
    known = facts("Loaded cuDNN version 8101", cuda="11.2")
    assert known.libraries is not None
    assert {library.component: library.version for library in known.libraries.found} == {
        "cudart": "11.2",
        "cudnn": "8.1.1",
    }


def test_facts_of_the_machine_count_before_the_log() -> None:
    measured = Facts(
        tensorflow=TensorFlow(version="2.15.0"),
        libraries=CudaLibraries(
            found=(Library(component="cudnn", soname="libcudnn.so.8", path="/x", version="8.9.7"),)
        ),
    )
    log = told("tensorflow version: 2.9.1", "Loaded cuDNN version 8101", CREATED)
    known, _ = combine_facts(measured, None, log)
    assert (known.tensorflow, known.libraries) == (measured.tensorflow, measured.libraries)
    assert known.gpus is not None


def test_what_the_user_says_counts_before_the_facts() -> None:
    measured = Facts(tensorflow=TensorFlow(version="2.15.0"), environment={"A": "b"})
    known, _ = combine_facts(measured, {"tf": "2.10"}, told("tensorflow version: 2.9.1"))
    assert known.tensorflow is not None
    assert (known.tensorflow.version, known.environment) == ("2.10.1", {"A": "b"})


def test_a_clue_that_cannot_be_is_left_out_without_a_word() -> None:
    assert combine_facts(None, None, told("tensorflow version: 2.99.0")) == (Facts(), [])


def test_cuda_11_fits_every_tensorflow_of_cuda_11() -> None:
    known = facts(OPENED + "dynamic library libcudart.so.11.0", tf="2.8", os="linux-x86_64")
    assert not [finding for finding in findings(known) if "cuda" in finding.slug]


def test_a_log_alone_is_judged_by_the_doctor(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "tensorflow version: 2.16.1\n"
        r'  File "C:\Python311\lib\site-packages\demo\list.py", line 3, in <module>'
        "\nNum GPUs Available:  0\n"
    )
    explanation = explain(log)
    assert explanation.primary == "windows-gpu-unsupported"
    assert f"{log}, line 2" in {item.source for item in explanation.causes[0].evidence}
