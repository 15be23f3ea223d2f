"""cuDNN alone is not found."""

import pytest
from causes.tell import tell

CUDNN_MISSING = [
    ("The start prints that cudnn64_7.dll is missing, and nothing is trained on the card.", {}),
    ("Could not locate cudnn_cnn_train64_8.dll. Please make sure it is in your library path!", {}),
    ("could not load library libcudnn_adv_infer.so.8", {}),
    ("Could not locate zlibwapi.dll. Please make sure it is in your library path!", {}),
    ("We forgot the cuDNN: it cannot find cuDNN in the image.", {}),
    (
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
        "shared object file",
        {},
    ),
    (
        "ImportError: libcudnn.so.6: cannot open shared object file: No such file or directory",
        {},
    ),
    (
        "ImportError: Could not find 'cudnn64_7.dll'. TensorFlow requires that this "
        "DLL be installed in a directory that is named in your %PATH%",
        {"os": "windows"},
    ),
    (
        "Successfully opened dynamic library libcublas.so.10\n"
        "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not "
        "load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot open "
        "shared object file",
        {"tf": "2.1.0"},
    ),
    (
        "Could not load library cudnn_cnn_infer64_8.dll. Error code 126",
        {},
    ),
    (
        "F tensorflow/stream_executor/cuda/cuda_dnn.cc:204] could not find "
        "cudnnCreate in cudnn DSO; dlerror: undefined symbol: cudnnCreate",
        {},
    ),
    (
        "I tensorflow/stream_executor/dso_loader.cc:126] Couldn't open CUDA library "
        "libcudnn.so.5. LD_LIBRARY_PATH: /usr/local/cuda-8.0/lib64\n"
        "Unable to load cuDNN DSO",
        {"tf": "1.0.1"},
    ),
]
OTHERS = [
    (
        "Could not load dynamic library 'libcublas.so.11'; dlerror: not found\n"
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: not found",
        {},
    ),
    (
        "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        {},
    ),
    (
        "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.",
        {},
    ),
    (
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:384] Loaded cuDNN version 8204",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), CUDNN_MISSING)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "cudnn-missing"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "cudnn-missing"


def test_the_fix_names_the_cudnn_of_the_release() -> None:
    answer = tell("Could not load dynamic library 'libcudnn.so.8'; dlerror: none", tf="2.10.1")
    assert "cuDNN 8.1" in answer.causes[0].fix.text


def test_where_cuda_is_missing_too_it_is_second() -> None:
    answer = tell(
        "Could not load dynamic library 'libcufft.so.10'; dlerror: not found\n"
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: not found"
    )
    assert [found.cause for found in answer.causes[:2]] == ["cuda-missing", "cudnn-missing"]
