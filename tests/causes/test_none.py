"""Nothing is wrong."""

import pytest
from causes.tell import tell

NUMA = (
    "I tensorflow/stream_executor/cuda/cuda_gpu_executor.cc:937] successful NUMA node read from "
    "SysFS had negative value (-1), but there must be at least one NUMA node, so returning NUMA "
    "node zero"
)
CREATED = (
    "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1613] Created device /job:localhost/"
    "replica:0/task:0/device:GPU:0 with 22134 MB memory:  -> device: 0, name: NVIDIA RTX A5000, "
    "pci bus id: 0000:01:00.0, compute capability: 8.6"
)
HIDDEN = (
    "E0000 00:00:1794706240.9   2 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA "
    "error: Failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
    "I0000 00:00:1794706240.9   2 cuda_diagnostics.cc:163] CUDA_VISIBLE_DEVICES is set to -1 - "
    "this hides all GPUs from CUDA\n10/10 - 1s - loss: 9.1"
)


@pytest.mark.parametrize(
    "text",
    [
        NUMA,
        f"{NUMA}\n{CREATED}\nEpoch 1/3",
        "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find "
        "TensorRT",
        "E0000 00:00:1736163970.1  3 cuda_blas.cc:1418] Unable to register cuBLAS factory: "
        "Attempting to register factory for plugin cuBLAS when one has already been registered",
        "W tensorflow/core/framework/op_kernel.cc:1192] Out of range: End of sequence",
        "W tensorflow/core/framework/cpu_allocator_impl.cc:82] Allocation of 188160000 exceeds 10% "
        "of free system memory.\nEpoch 1/5",
        "W external/local_xla/xla/stream_executor/gpu/gpu_timer.cc:114] Skipping the delay kernel, "
        "measurement accuracy will be reduced",
        "W tensorflow/core/common_runtime/type_inference.cc:339] Type inference failed. This "
        "indicates an invalid graph that escaped type checking.",
        "I tensorflow/stream_executor/platform/default/dso_loader.cc:53] Successfully opened "
        "dynamic library libcublas.so.11",
        "WARNING:tensorflow:There are non-GPU devices in `tf.distribute.Strategy`, not using nccl "
        "allreduce.",
        "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1487] CUPTI error: CUPTI could "
        "not be loaded or symbol could not be found.",
        "Could not load dynamic library 'libnvinfer_plugin.so.7'; dlerror: libnvinfer_plugin.so.7: "
        "cannot open shared object file: No such file or directory",
        HIDDEN,
        "I tensorflow/core/platform/cpu_feature_guard.cc:142] This TensorFlow binary is optimized "
        "with oneAPI Deep Neural Network Library (oneDNN) to use the following CPU instructions\n"
        "Everything works, it is just a warning. How do I get rid of the message?",
    ],
)
def test_nothing_is_wrong(text: str) -> None:
    assert tell(text).primary == "none"
    assert tell(text, exit_code=0).primary == "none"


STARTED = "\n".join(
    [
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        *[NUMA] * 8,
        CREATED,
        "I0000 00:00:1745000000.1  7 service.cc:153] XLA service 0x7f initialized for platform "
        "CUDA (this does not guarantee that XLA will be used). Devices:",
    ]
)
COMPILED = (
    "I0000 00:00:1745000000.9  7 device_compiler.h:208] Compiled cluster using XLA!  This line is "
    "logged at most once for the lifetime of the process."
)
PROGRESS = "10/10 - 1s - 81ms/step - loss: 0.4"


@pytest.mark.parametrize(
    "end",
    [COMPILED, f"Epoch 1/5\n{COMPILED}", f"Epoch 1/5\n{PROGRESS}\nEpoch 2/5\n{PROGRESS}"],
)
def test_a_log_that_breaks_off_is_not_called_well(end: str) -> None:
    log = f"{STARTED}\n{end}"
    assert tell(log).primary is None
    assert tell(log, exit_code=0).primary == "none"


@pytest.mark.parametrize(
    "end",
    [
        f"Epoch 1/2\n{PROGRESS}\nEpoch 2/2\n{PROGRESS}",
        f"{COMPILED}\n(4000, 4000)",
        f"Epoch 1/5\n{PROGRESS}\nTest accuracy: 0.97",
    ],
)
def test_a_log_that_reaches_its_end_is_well(end: str) -> None:
    assert tell(f"{STARTED}\n{end}").primary == "none"


@pytest.mark.parametrize("code", [1, 134, 137, 139, -11])
def test_noise_does_not_excuse_a_failed_run(code: int) -> None:
    answer = tell(f"{NUMA}\n{CREATED}", exit_code=code)
    assert "none" not in [cause.cause for cause in answer.causes]


@pytest.mark.parametrize(
    "text",
    [
        f"{NUMA}\nKilled",
        f"{NUMA}\nNum GPUs Available:  0",
        f"{CREATED}\nEpoch 1/3\n10/10 - loss: nan",
        f"{NUMA}\nMemory use grows with every epoch until it crashes.",
        f"{NUMA}\nValueError: Shapes (None, 1) and (None, 10) are incompatible",
    ],
)
def test_something_is_wrong(text: str) -> None:
    assert tell(text).primary != "none"


def test_a_refused_allocation_on_the_way_of_a_run_that_ended_well() -> None:
    text = (
        f"{CREATED}\nI tensorflow/stream_executor/cuda/cuda_driver.cc:830] failed to allocate "
        "3.43G (3678928896 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n"
        "Epoch 1/2\nEpoch 2/2\nTest accuracy: 0.98"
    )
    assert tell(text, exit_code=0).primary == "none"


def test_the_noise_is_listed_with_its_meaning() -> None:
    answer = tell(f"{NUMA}\n{NUMA}")
    assert [(entry.name, entry.count) for entry in answer.noise] == [("numa-node", 2)]
    assert "NUMA" in answer.noise[0].meaning
