"""A cuDNN of another version than TensorFlow was compiled with."""

import pytest
from causes.tell import tell

CUDNN_MISMATCH = [
    ("TensorFlow 2.6 needs cuDNN 8.1 but the server has 8.0 installed", {}),
    ("The cuDNN version does not match: an incompatible cuDNN is in the image", {}),
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Loaded runtime CuDNN "
        "library: 7.1.2 but source was compiled with: 7.6.0.  CuDNN library major "
        "and minor version needs to match",
        {},
    ),
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:396] Loaded runtime CuDNN "
        "library: 7103 (compatibility version 7100) but source was compiled with "
        "7004 (compatibility version 7000).",
        {},
    ),
    (
        "E0000 00:00:1731000000.123456   99 cuda_dnn.cc:522] Loaded runtime CuDNN "
        "library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to "
        "have matching major version",
        {},
    ),
    (
        "Loaded runtime CuDNN library: 8.2.1 but source was compiled with: 8.6.0.\n"
        "Failed to get convolution algorithm. This is probably because cuDNN failed "
        "to initialize",
        {},
    ),
    (
        "UnimplementedError: DNN library is not found. [Op:Conv2D]",
        {"tf": "2.12.0", "cudnn": "8.1.0"},
    ),
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"tf": "2.3.0", "cudnn": "7.4.1", "gpu": "RTX 2070"},
    ),
    (
        "UnknownError: Fail to find the dnn implementation. [Op:CudnnRNN]",
        {"tf": "2.8.0", "cudnn": "7.6.5"},
    ),
]
OTHERS = [
    (
        "Loaded cuDNN version 8600",
        {"tf": "2.12.0"},
    ),
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"tf": "2.1.0", "cudnn": "7.6.5"},
    ),
    (
        "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        {},
    ),
    (
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: "
        "cannot open shared object file",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), CUDNN_MISMATCH)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "cudnn-mismatch"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "cudnn-mismatch"


def test_old_numbers_are_read_as_versions() -> None:
    answer = tell(
        "Loaded runtime CuDNN library: 6021 (compatibility version 6000) but source was compiled "
        "with 5110 (compatibility version 5100)."
    )
    assert "5.1.10" in answer.causes[0].why
    assert "6.0.21" in answer.causes[0].why
    assert "TensorFlow 1.4.1" in answer.causes[0].fix.text


def test_the_fix_is_for_the_release_where_it_is_known() -> None:
    line = "Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.9.4."
    answer = tell(line, tf="2.15.0")
    assert "cuDNN 8.9" in answer.causes[0].fix.text
