"""The GPU or another part of the machine failed."""

import pytest
from causes.tell import tell

EVENT = "E tensorflow/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: "


@pytest.mark.parametrize(
    "text",
    [
        "kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1712, GPU has fallen off the bus.",
        "[88.1] NVRM: Xid (PCI:0000:af:00): 48, pid=77, name=python3, Double Bit ECC Error",
        "NVRM: Xid (0000:04:00): 94, Contained: SM (0x1). RST: No, D-RST: No",
        "Unable to determine the device handle for GPU 0000:0a:00.0: GPU is lost.  Reboot the "
        "system to recover this GPU",
        EVENT + "failed to query event: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error",
        "mce: [Hardware Error]: CPU 9: Machine Check: 0 Bank 4: b200000000070f0f",
        "As soon as both cards train, the workstation powers off without a message.",
        "My laptop shuts down after ten minutes of model.fit on the GTX 1650.",
        "Fitting the model causes the computer to reboot; a new power supply is ordered.",
        "Training with all four cards makes the server reboot; nvidia-smi -pl 180 cures it.",
        "WARNING: infoROM is corrupted at gpu 0000:3B:00.0",
        "After an hour the GPU disappears; cuda_memtest finds errors on it.",
        "Training on the RTX 3090 ends in a blue screen, WHEA_UNCORRECTABLE_ERROR.",
    ],
)
def test_it_is_the_hardware(text: str) -> None:
    assert tell(text).primary == "hardware-fault"


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: Xid (PCI:0000:3b:00): 31, pid=1712, name=python3, Ch 00000008, MMU Fault",
        EVENT + "failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was "
        "encountered",
        "After the server reboots nvidia-smi fails with a driver mismatch.",
        "The system works again after I closed the other notebooks.",
        "Killed",
    ],
)
def test_it_is_not(text: str) -> None:
    assert tell(text).primary != "hardware-fault"


def test_a_launch_failure_may_be_the_card() -> None:
    answer = tell(EVENT + "failed to query event: CUDA_ERROR_LAUNCH_FAILED")
    assert "hardware-fault" in [cause.cause for cause in answer.causes[:2]]


def test_the_xid_of_the_kernel_log_decides_over_fallout() -> None:
    answer = tell(
        "F tensorflow/core/common_runtime/device/device_event_mgr.cc:223] Unexpected Event "
        "status: 1\nAborted (core dumped)",
        exit_code=134,
        kernel_log="NVRM: Xid (PCI:0000:65:00): 95, pid=9, Uncontained: LTC TAG",
    )
    assert answer.primary == "hardware-fault"
    assert "Xid 95" in answer.causes[0].why


def test_the_fix_depends_on_what_failed() -> None:
    power = tell("The PC turns off hard when training begins.").causes[0].fix
    memory = tell("NVRM: Xid (PCI:0000:af:00): 48, pid=77, DBE").causes[0].fix
    assert "-pl" in power.text
    assert "reset" in memory.text
    assert not any("reset" in command or "reboot" in command for command in memory.commands)
