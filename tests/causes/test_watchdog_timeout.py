"""The system ended a kernel that ran too long."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:1099] could not synchronize on CUDA "
        "context: CUDA_ERROR_LAUNCH_TIMEOUT :: No stack trace available",
        "InternalError: the launch timed out and was terminated",
        "RuntimeError: CUDA error: the launch timed out and was terminated",
        "Failed to enqueue memcpy: CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was "
        "terminated; GPU dst: 0xb06000000; host src: 0x7f0; size: 4",
        "Display driver nvlddmkm stopped responding and has successfully recovered.",
        "Windows says that the display driver stopped responding while I train.",
        "A TDR has been detected.\nThe application must close.\nError code: 7",
        "It was the timeout detection and recovery of Windows; a larger TdrDelay helped.",
    ],
)
def test_it_is_the_watchdog(text: str) -> None:
    assert tell(text, gpu="GeForce GTX 1050 Ti").primary == "watchdog-timeout"


@pytest.mark.parametrize(
    "text",
    [
        "host:1:2 [0] NCCL INFO Channel 00 : 0[1b0] -> 1[1c0] via P2P\n"
        "CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated",
        "InternalError: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
        "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-01-01T00:00:00 DUE TO TIME LIMIT ***",
    ],
)
def test_it_is_not(text: str) -> None:
    assert tell(text).primary != "watchdog-timeout"


def test_windows_makes_it_likelier_and_names_the_registry() -> None:
    text = "Error polling for event status: failed to query event: CUDA_ERROR_LAUNCH_FAILED"
    assert "watchdog-timeout" in [c.cause for c in tell(text, os="windows").causes]
    assert "watchdog-timeout" not in [c.cause for c in tell(text, os="linux-x86_64").causes]
    fix = tell("the launch timed out and was terminated", os="windows").causes[0].fix
    assert "TdrDelay" in fix.text
