"""A kernel touched memory that is not its own."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:1140] could not synchronize on CUDA "
        "context: CUDA_ERROR_ILLEGAL_ADDRESS :: No stack trace available",
        "2023-04-02 10:00:00.1: E tensorflow/compiler/xla/stream_executor/cuda/cuda_event.cc:29] "
        "Error polling for event status: failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS: an "
        "illegal memory access was encountered",
        "tensorflow.python.framework.errors_impl.InternalError: Failed to retrieve CUDA function: "
        "an illegal memory access was encountered",
        "E0000 00:00:1745000000.1  7 cuda_stream.cc:1] CUDA_ERROR_MISALIGNED_ADDRESS: misaligned "
        "address",
        "E tensorflow/stream_executor/cuda/cuda_event.cc:48] Error polling for event status: "
        "failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure\n"
        "F tensorflow/core/common_runtime/gpu/gpu_event_mgr.cc:274] Unexpected Event status: 1\n"
        "Aborted (core dumped)",
        "an illegal memory access was encountered\n已放弃 (核心已转储)",
    ],
)
def test_it_is_an_illegal_access(text: str) -> None:
    assert tell(text).primary == "illegal-memory-access"


def test_the_kernel_log_names_what_the_program_does_not() -> None:
    answer = tell(
        "F0000 00:00:1745000000.1  7 device_event_mgr.cc:223] Unexpected Event status: 1",
        exit_code=134,
        kernel_log="NVRM: Xid (PCI:0000:00:06): 31, pid=7, name=python3, Ch 00000012, MMU Fault",
    )
    assert answer.primary == "illegal-memory-access"
    assert "Xid 31" in answer.causes[0].why


@pytest.mark.parametrize(
    ("text", "primary"),
    [
        ("NVRM: Xid (PCI:0000:00:06): 79, GPU has fallen off the bus.", "hardware-fault"),
        ("CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated", "watchdog-timeout"),
        ("Illegal instruction (core dumped)", "cpu-isa"),
    ],
)
def test_other_faults_have_their_own_names(text: str, primary: str) -> None:
    assert tell(text).primary == primary


def test_what_wrote_behind_its_buffer_is_a_bug_of_the_library() -> None:
    answer = tell(
        "E tensorflow/core/kernels/gpu_utils.cc:68] Detected cudnn out-of-bounds write in "
        "convolution input buffer! This is likely a cudnn bug.\nInternalError: GPU sync failed"
    )
    assert answer.primary == "framework-bug"
    assert "illegal-memory-access" in [cause.cause for cause in answer.causes[:3]]


def test_a_bare_event_status_decides_nothing() -> None:
    answer = tell("F tensorflow/core/common_runtime/gpu/gpu_event_mgr.cc:274] Unexpected Event "
                  "status: 1")  # fmt: skip
    assert answer.primary is None
    assert answer.causes[0].cause == "illegal-memory-access"
    assert answer.questions


def test_under_xla_the_fix_says_so() -> None:
    text = (
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered [[cluster/xla_run]]"
    )
    assert "jit_compile=False" in tell(text).causes[0].fix.text
