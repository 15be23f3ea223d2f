"""Several CUDAs, of which the wrong one is loaded."""

import pytest
from causes.tell import tell

CUDA_PATH_CONFLICT = [
    (
        "symbol lookup error: /opt/cuda/lib64/libcudnn_ops_train.so.8: undefined symbol: "
        "_ZN12nvrtcHelper4initEv, version libcudnn_ops_infer.so.8",
        {},
    ),
    (
        "symbol release_plan version libcublasLt.so.12 not defined in file "
        "libcublasLt.so.12 with link time reference",
        {},
    ),
    ("With the module load cuda/12.2 on our cluster, the wrong libraries come first", {}),
    (
        "ImportError: /usr/local/cuda/lib64/libcublas.so.11: undefined symbol: "
        "cublasLtGetStatusString, version libcublasLt.so.11",
        {},
    ),
    (
        "symbol cublasLtHSHMatmulAlgoInit, version libcublasLt.so.11 not defined in "
        "file libcublasLt.so.11 with link time reference",
        {},
    ),
    (
        "Could not load symbol cublasGetSmCountTarget from libcublas.so.11. Error: "
        "/opt/cuda-11.0/lib64/libcublas.so.11: undefined symbol: "
        "cublasGetSmCountTarget",
        {},
    ),
    (
        "Could not load library libcudnn_cnn_train.so.8. Error: "
        "/usr/local/cuda-12.1/lib64/libcudnn_cnn_train.so.8: undefined symbol: "
        "_ZN5cudnn3cnn5layerE",
        {},
    ),
    (
        "Three CUDA versions are on this server and TensorFlow picks the wrong cuDNN.",
        {},
    ),
    (
        "Two CUDA toolkits are there. /usr/local/cuda still links to cuda-10.0.",
        {},
    ),
]
OTHERS = [
    (
        "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory",
        {},
    ),
    (
        "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.",
        {},
    ),
    (
        "NotFoundError: _ops.so: undefined symbol: "
        "_ZN10tensorflow8OpKernel11TraceStringERKNS_15OpKernelContextEb",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), CUDA_PATH_CONFLICT)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "cuda-path-conflict"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "cuda-path-conflict"


def test_an_installed_cuda_makes_the_path_a_possibility() -> None:
    line = "Could not load dynamic library 'libcudart.so.11.0'; dlerror: not found"
    answer = tell(line, tf="2.9.1", cuda="11.2", gpu="RTX 3080")
    assert "cuda-path-conflict" in [found.cause for found in answer.causes[:3]]


def test_the_symbol_is_named() -> None:
    answer = tell("libcudnn.so.8: undefined symbol: cudnnSetCTCLossDescriptor_v8")
    assert "cudnnSetCTCLossDescriptor_v8" in answer.causes[0].why
