import os

import pynvml
import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.facts import gpu
from fitguard.schema.hardware import Gpu, GpuProcess

MIB = 1 << 20


def read_one(**changes: dict) -> Gpu:
    """The H200, with other answers to calls whose only argument is the GPU."""
    named = {f"{name}(gpu0)": answer for name, answer in changes.items()}
    (only,) = gpu.read(ReplayNvml("h200", named))
    return only


def read_changed(changes: dict[str, dict]) -> Gpu:
    (only,) = gpu.read(ReplayNvml("h200", changes))
    return only


def process(pid: int, used: int | None) -> dict:
    return {"struct": {"pid": pid, "usedGpuMemory": used}}


def test_h200_as_recorded() -> None:
    h200 = read_changed({})
    assert h200.name == "NVIDIA H200"
    assert h200.compute_capability == "9.0"
    assert h200.architecture == "Hopper"
    assert (h200.memory_bytes or 0) // MIB == 143771
    assert h200.ecc_enabled is True
    assert h200.mig_enabled is False
    assert h200.compute_mode == "Default"
    assert h200.persistence is True
    assert h200.recovery_action == "none"
    assert (h200.pcie_generation, h200.pcie_width) == (5, 16)
    assert (h200.pcie_generation_most, h200.pcie_width_most) == (5, 16)
    assert h200.problem is None


@pytest.mark.parametrize(
    ("bus_id", "address"),
    [("00000000:00:06.0", "0000:00:06.0"), ("00000009:3B:00.0", "0009:3b:00.0")],
)
def test_pci_address_as_the_kernel_writes_it(bus_id: str, address: str) -> None:
    seen = read_one(nvmlDeviceGetPciInfo={"result": {"struct": {"busId": bus_id}}})
    assert seen.pci_address == address


def test_a_card_without_connectors_drives_no_display() -> None:
    assert read_changed({}).display_attached is False


def test_reserved_memory_is_not_used_memory() -> None:
    struct = {"total": 100, "reserved": 7, "free": 90, "used": 3}
    second = f"nvmlDeviceGetMemoryInfo(gpu0, {pynvml.nvmlMemory_v2})"
    assert read_changed({second: {"result": {"struct": struct}}}).used_bytes == 3


def test_old_driver_knows_only_the_first_memory_call() -> None:
    second = f"nvmlDeviceGetMemoryInfo(gpu0, {pynvml.nvmlMemory_v2})"
    seen = read_changed(
        {
            second: {"error": pynvml.NVML_ERROR_FUNCTION_NOT_FOUND},
            "nvmlDeviceGetMemoryInfo(gpu0)": {
                "result": {"struct": {"total": 100, "free": 90, "used": 10}}
            },
        }
    )
    assert (seen.memory_bytes, seen.used_bytes) == (100, 10)


def test_processes_of_both_kinds_once_each_and_the_own_one_marked() -> None:
    own = os.getpid()
    seen = read_changed(
        {
            "nvmlDeviceGetComputeRunningProcesses_v3(gpu0)": {
                "result": [process(own, 5 * MIB), process(7_000_000, None)]
            },
            "nvmlDeviceGetGraphicsRunningProcesses_v3(gpu0)": {
                "result": [process(own, 6 * MIB), process(7_000_001, 2)]
            },
            f"nvmlSystemGetProcessName({own})": {"result": "python3"},
            "nvmlSystemGetProcessName(7000000)": {"error": pynvml.NVML_ERROR_NO_PERMISSION},
            "nvmlSystemGetProcessName(7000001)": {"result": "Xorg"},
        }
    )
    assert seen.processes == (
        GpuProcess(own, "python3", 6 * MIB, True),
        GpuProcess(7_000_000, None, None, False),
        GpuProcess(7_000_001, "Xorg", 2, False),
    )


def test_an_idle_gpu_has_no_processes_which_is_not_unknown() -> None:
    none: dict = {"result": []}
    seen = read_one(
        nvmlDeviceGetComputeRunningProcesses_v3=none, nvmlDeviceGetGraphicsRunningProcesses_v3=none
    )
    assert seen.processes == ()


def test_processes_by_an_older_driver() -> None:
    missing = {"error": pynvml.NVML_ERROR_FUNCTION_NOT_FOUND}
    seen = read_changed(
        {
            "nvmlDeviceGetComputeRunningProcesses_v3(gpu0)": missing,
            "nvmlDeviceGetComputeRunningProcesses_v2(gpu0)": {"result": [process(9, 1)]},
            "nvmlSystemGetProcessName(9)": {"result": "python"},
        }
    )
    assert seen.processes == (GpuProcess(9, "python", 1, False),)


def test_health() -> None:
    seen = read_changed(
        {
            "nvmlDeviceGetTotalEccErrors(gpu0, 1, 0)": {"result": 2},
            "nvmlDeviceGetTotalEccErrors(gpu0, 1, 1)": {"result": 11},
            "nvmlDeviceGetRetiredPages(gpu0, 0)": {"result": [4096]},
            "nvmlDeviceGetRetiredPages(gpu0, 1)": {"result": [8192, 12288]},
            "nvmlDeviceGetRetiredPagesPendingStatus(gpu0)": {"result": 1},
            "nvmlDeviceGetRemappedRows(gpu0)": {"result": [0, 3, 1, 0]},
        }
    )
    assert (seen.ecc_uncorrected, seen.ecc_uncorrected_lifetime) == (2, 11)
    assert (seen.retired_pages, seen.retirement_pending) == (3, True)
    assert (seen.remapped_rows_pending, seen.remapped_rows_failed) == (True, False)


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0x01, ()),
        (0x02, ()),
        (0x04, ("sw-power-cap",)),
        (0x48, ("hw-slowdown", "hw-thermal")),
        (0xA0, ("sw-thermal", "hw-power-brake")),
    ],
)
def test_throttle_reasons_in_words(bits: int, words: tuple[str, ...]) -> None:
    seen = read_one(nvmlDeviceGetCurrentClocksEventReasons={"result": bits})
    assert seen.throttled_by == words


def test_throttle_reasons_of_an_older_driver() -> None:
    seen = read_one(
        nvmlDeviceGetCurrentClocksEventReasons={"error": pynvml.NVML_ERROR_FUNCTION_NOT_FOUND},
        nvmlDeviceGetCurrentClocksThrottleReasons={"result": 0x40},
    )
    assert seen.throttled_by == ("hw-thermal",)


def test_slowdown_from_the_margin_where_there_is_no_threshold() -> None:
    seen = read_changed(
        {
            "nvmlDeviceGetTemperature(gpu0, 0)": {"result": 31},
            "nvmlDeviceGetTemperatureThreshold(gpu0, 1)": {"error": 3},
            "nvmlDeviceGetMarginTemperature(gpu0)": {"result": 56},
        }
    )
    assert (seen.temperature_celsius, seen.slowdown_celsius) == (31, 87)


def test_power_in_watts() -> None:
    seen = read_one(
        nvmlDeviceGetPowerManagementLimit={"result": 250_500},
        nvmlDeviceGetPowerManagementDefaultLimit={"result": 700_000},
    )
    assert (seen.power_limit_watts, seen.power_default_watts) == (250.5, 700.0)


def test_recovery_action_that_the_driver_asks_for() -> None:
    call = f"nvmlDeviceGetFieldValues(gpu0, [{pynvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION}])"
    value = {"struct": {"nvmlReturn": 0, "value": {"struct": {"uiVal": 1}}}}
    assert read_changed({call: {"result": [value]}}).recovery_action == "gpu-reset"
    refused = {"struct": {"nvmlReturn": 3, "value": {"struct": {"uiVal": 1}}}}
    assert read_changed({call: {"result": [refused]}}).recovery_action is None


def test_each_refused_call_costs_its_own_field_only() -> None:
    whole = ReplayNvml("h200")
    questions = [call for call in whole.calls if "(gpu0" in call and "result" in whole.calls[call]]
    assert len(questions) > 10
    fallbacks = {
        "nvmlDeviceGetMemoryInfo(gpu0)": {"error": 3},
        "nvmlDeviceGetCurrentClocksThrottleReasons(gpu0)": {"error": 3},
        "nvmlDeviceGetDisplayMode(gpu0)": {"error": 3},
        **{
            f"nvmlDeviceGet{kind}RunningProcesses_v2(gpu0)": {"error": 3}
            for kind in ("Compute", "Graphics")
        },
        "nvmlDeviceGetTemperatureV(gpu0, 0)": {"error": 3},
        "nvmlDeviceGetMarginTemperature(gpu0)": {"error": 3},
    }
    fields = Gpu.__struct_fields__
    expected = read_changed(fallbacks)
    for call in questions:
        seen = read_changed(fallbacks | {call: {"error": pynvml.NVML_ERROR_NOT_SUPPORTED}})
        lost = [name for name in fields if getattr(seen, name) != getattr(expected, name)]
        assert len(lost) <= 2, (call, lost)
        assert all(getattr(seen, name) in (None, ()) for name in lost), (call, lost)


def test_lost_gpu_keeps_its_place_and_says_so() -> None:
    nvml = ReplayNvml(
        "h200",
        {
            "nvmlDeviceGetCount()": {"result": 2},
            "nvmlDeviceGetHandleByIndex(1)": {"error": pynvml.NVML_ERROR_GPU_IS_LOST},
        },
    )
    good, lost = gpu.read(nvml)
    assert good.problem is None
    assert lost == Gpu(index=1, problem="GPU is lost", origin="NVML")


def test_gpu_that_is_lost_after_it_was_found() -> None:
    seen = read_one(nvmlDeviceGetName={"error": pynvml.NVML_ERROR_GPU_IS_LOST})
    assert seen.problem == "GPU is lost"
    assert seen.name is None
