"""gpu-memory-taken: handles that cannot be made, cards that are full, and what is not that."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "2019-10-05 10:11:12.131415: E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not "
        "create cudnn handle: CUDNN_STATUS_ALLOC_FAILED",
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:385] could not create cudnn handle: "
        "CUDNN_STATUS_INTERNAL_ERROR\nF tensorflow/core/kernels/conv_ops.cc:605] Check failed: "
        "stream->parent()->GetConvolveAlgorithms(&algorithms)",
        "UnknownError: 2 root error(s) found. (0) Unknown: Failed to get convolution algorithm. "
        "This is probably because cuDNN failed to initialize",
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:238] failed to create cublas handle: "
        "CUBLAS_STATUS_NOT_INITIALIZED\nInternalError: Blas xGEMV launch failed : a.shape=[1,64,9]",
        "E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:209] failed to create cublas "
        "handle: the resource allocation failed",
        "F tensorflow/core/util/cuda_solvers.cc:115] Check failed: cusolverDnCreate("
        "&cusolver_dn_handle) == CUSOLVER_STATUS_SUCCESS Failed to create cuSolverDN instance.",
        "E tensorflow/core/common_runtime/direct_session.cc:170] Internal: failed initializing "
        "StreamExecutor for CUDA device ordinal 1: Internal: failed call to "
        "cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY; total memory reported: 11996954624",
        "InternalError: CUDA runtime implicit initialization on GPU:0 failed. Status: "
        "out of memory",
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:936] failed to allocate 7.27G "
        "(7806143744 "
        "bytes) from device: CUDA_ERROR_OUT_OF_MEMORY\n"
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:936] failed to allocate 6.54G "
        "(7025529344 "
        "bytes) from device: CUDA_ERROR_OUT_OF_MEMORY\n",
        "InternalError: Blas GEMM launch failed. Two other notebooks were running on the same GPU.",
        "The model only trains once I set allow_growth; it fixes the crash at the first layer.",
    ],
)
def test_memory_that_is_taken(text: str) -> None:
    assert tell(text).primary == "gpu-memory-taken"


def test_a_device_with_what_others_left() -> None:
    diagnosis = tell(
        "Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 141 MB "
        "memory) -> physical GPU (device: 0, name: Tesla V100-SXM2-16GB, pci bus id: 0000:00:1e.0, "
        "compute capability: 7.0)\n"
        "ResourceExhaustedError: OOM when allocating tensor with shape[3,3,256,512] and type float "
        "on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    )
    assert diagnosis.primary == "gpu-memory-taken"
    assert "141 MB" in diagnosis.causes[0].why


@pytest.mark.parametrize(("gib", "cause"), [("9.41", "gpu-memory-taken"), ("1.20", "gpu-oom")])
def test_a_refused_request_for_most_of_the_card_came_at_the_start(gib: str, cause: str) -> None:
    size_bytes = int(float(gib) * 2**30)
    diagnosis = tell(
        f"I tensorflow/stream_executor/cuda/cuda_driver.cc:789] failed to allocate {gib}G "
        f"({size_bytes} bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        gpu="RTX 2080 Ti",
    )
    assert diagnosis.primary == cause


def test_a_round_limit_is_the_users_own() -> None:
    diagnosis = tell(
        "I0000 gpu_device.cc:2043] Created device "
        "/job:localhost/replica:0/task:0/device:GPU:0 with "
        "2048 MB memory:  -> device: 0, name: NVIDIA A100-SXM4-40GB, pci bus id: 0000:00:04.0, "
        "compute capability: 8.0\n"
        "ResourceExhaustedError: OOM when allocating tensor with shape[512,1024,1024] "
        "and type float "
        "on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    )
    assert diagnosis.primary == "gpu-oom"


def test_versions_that_fit_leave_memory_as_the_reading() -> None:
    diagnosis = tell(
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed "
        "to initialize",
        tf="2.3.1",
        cuda="10.1",
        cudnn="7.6.5",
        gpu="RTX 2060",
    )
    assert diagnosis.primary == "gpu-memory-taken"
    assert "export TF_FORCE_GPU_ALLOW_GROWTH=true" in diagnosis.causes[0].fix.commands


def test_on_windows_the_variable_is_set_in_its_way() -> None:
    diagnosis = tell("failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED", os="windows")
    assert "set TF_FORCE_GPU_ALLOW_GROWTH=true" in diagnosis.causes[0].fix.commands


@pytest.mark.parametrize(
    ("text", "what_if"),
    [
        (
            "Loaded runtime CuDNN library: 7.1.4 but source was compiled with: 7.6.0.\n"
            "UnknownError: Failed to get convolution algorithm.",
            {},
        ),
        ("UnknownError: Failed to get convolution algorithm.", {"tf": "2.5.0", "cudnn": "7.6.5"}),
        ("CUBLAS_STATUS_EXECUTION_FAILED", {"tf": "1.14.0", "gpu": "RTX 3090", "cuda": "10.0"}),
        (
            "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 141 MB memory:  -> "
            "device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5\n"
            "Epoch 1/3",
            {},
        ),
        ("Free memory: 365.80MiB", {}),
    ],
)
def test_near_misses(text: str, what_if: dict[str, str]) -> None:
    assert tell(text, **what_if).primary != "gpu-memory-taken"


@pytest.mark.parametrize(
    "text",
    [
        "E tensorflow/stream_executor/rocm/rocm_driver.cc:629] failed to allocate 15.20G "
        "(16321085440 bytes) from device: hipErrorOutOfMemory\n"
        "E tensorflow/stream_executor/rocm/rocm_driver.cc:629] failed to allocate 13.68G "
        "(14688976896 bytes) from device: hipErrorOutOfMemory",
        "E cuda_dnn.cc:958] Failed to allocate Cudnn dropout states memory of 1638400 bytes.",
        "I bfc_allocator.cc:923] total_region_allocated_bytes_: 100925440 memory_limit_: 100925440 "
        "available bytes: 0 curr_region_allocation_bytes_: 201850880",
        "TensorFlow reserves the whole memory of both cards and the other job gets out of memory.",
        "CUDA_ERROR_OUT_OF_MEMORY. The card is occupied by another user.",
        "I shut down the other notebooks, then it trained.",
    ],
)
def test_pools_that_others_left_small_and_other_wordings(text: str) -> None:
    assert tell(text).primary in ("gpu-memory-taken", None)
    assert tell(text).causes[0].cause == "gpu-memory-taken"


def test_a_small_limit_in_whole_mib_is_the_users_own() -> None:
    text = "memory_limit_: 134217728 available bytes: 0\nLimit:  134217728\nInUse:  130217728"
    assert tell(text).primary == "gpu-oom"
