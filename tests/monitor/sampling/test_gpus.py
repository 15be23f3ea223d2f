"""What NVML tells while a training runs, from recordings of a real one."""

import os

import pynvml
import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.monitor.sampling.gpus import GPU_METRICS, GpuReader
from fitguard.schema.metrics import split_column

GIB = 2**30
MIB = 2**20
TRAINING = 531
COMPUTE = "nvmlDeviceGetComputeRunningProcesses_v3(gpu0)"
MEMORY = "nvmlDeviceGetMemoryInfo(gpu0, 33554472)"
LOST = {"error": pynvml.NVML_ERROR_GPU_IS_LOST}
REFUSED = {"error": pynvml.NVML_ERROR_NO_PERMISSION}


def process(pid, used):
    return {"struct": {"pid": pid, "usedGpuMemory": used}}


def reader(changes=None, recording="h200_busy", environment=None):
    nvml = ReplayNvml(recording, changes)
    return GpuReader(environment, lambda: nvml), nvml


def two_gpus(**more):
    """The same GPU twice, under two names."""
    held = ReplayNvml("h200_busy").calls
    second = {name.replace("gpu0", "gpu1"): answer for name, answer in held.items()}
    return {
        **second,
        "nvmlDeviceGetCount()": {"result": 2},
        "nvmlDeviceGetHandleByIndex(1)": {"result": {"handle": 1}},
        "nvmlDeviceGetUUID(gpu0)": {"result": "GPU-aaaa"},
        "nvmlDeviceGetUUID(gpu1)": {"result": "GPU-bbbb"},
        **more,
    }


def test_everything_has_a_column():
    gpus, _ = reader()
    values = gpus.read([TRAINING])
    assert set(values) == {name for name in gpus.columns if name != "gpu_xid:0"}
    assert all(split_column(name) for name in gpus.columns)
    assert None not in values.values()
    assert values["gpu_process_bytes:0"] == 4706 * MIB
    assert values["gpu_used_bytes:0"] > 4706 * MIB
    assert values["gpu_total_bytes:0"] > 140 * GIB
    assert values["gpu_power_limit:0"] == 700
    assert 20 < values["gpu_temperature:0"] < 60
    assert 1e8 < values["gpu_clock:0"] <= values["gpu_clock_limit:0"] < 3e9
    assert gpus.missing == []


def test_the_processes_of_the_training_are_added():
    held = [process(10, 2 * GIB), process(11, GIB), process(99, GIB)]
    gpus, _ = reader({COMPUTE: {"result": held}})
    assert gpus.read([10, 11])["gpu_process_bytes:0"] == 3 * GIB


def test_nobody_on_the_gpu_holds_nothing():
    gpus, _ = reader(recording="h200")
    assert gpus.read([10])["gpu_process_bytes:0"] == 0


def test_a_driver_that_does_not_tell_sizes_has_no_answer():
    gpus, _ = reader({COMPUTE: {"result": [process(os.getpid(), None)]}})
    assert gpus.read([os.getpid()])["gpu_process_bytes:0"] is None


def test_in_a_container_what_the_gpu_uses_more_than_before_counts():
    gpus, nvml = reader(recording="h200")
    before = nvml.nvmlDeviceGetMemoryInfo(nvml.nvmlDeviceGetHandleByIndex(0), nvml.nvmlMemory_v2)
    grown = {"struct": {"used": before.used + 5 * GIB, "total": before.total}}
    nvml.calls |= {COMPUTE: {"result": [process(2**22 + 1, None)]}, MEMORY: {"result": grown}}
    assert gpus.read([10])["gpu_process_bytes:0"] == 5 * GIB


@pytest.mark.parametrize(
    ("load", "missing"),
    [
        (lambda: None, ""),
        (lambda: (_ for _ in ()).throw(OSError("file too short")), "file too short"),
        (lambda: ReplayNvml("h200", {"nvmlInit()": {"error": 9}}), "NVML does not work"),
    ],
)
def test_a_machine_without_nvml_has_no_gpus(load, missing):
    gpus = GpuReader({}, load)
    assert (gpus.read([1]), gpus.columns) == ({}, ())
    assert missing in "".join(gpus.missing)
    assert bool(gpus.missing) == bool(missing)


def test_a_refusal_costs_its_own_answer():
    calls = ("nvmlDeviceGetPowerUsage(gpu0)", MEMORY, "nvmlDeviceGetMemoryInfo(gpu0)")
    gpus, _ = reader(dict.fromkeys(calls, REFUSED))
    values = gpus.read([TRAINING])
    refused = {name for name, value in values.items() if value is None}
    assert refused == {"gpu_power:0", "gpu_used_bytes:0", "gpu_total_bytes:0"}


def test_a_gpu_that_falls_off_the_bus_is_named_once():
    gpus, nvml = reader()
    for call in nvml.calls:
        if "(gpu0" in call:
            nvml.calls[call] = LOST
    nvml.calls["nvmlDeviceGetMemoryInfo(gpu0)"] = LOST
    for old in ("Compute", "Graphics"):
        nvml.calls[f"nvmlDeviceGet{old}RunningProcesses_v2(gpu0)"] = LOST
    nvml.calls["nvmlDeviceGetTemperatureV(gpu0, 0)"] = LOST
    nvml.calls["nvmlDeviceGetPowerManagementLimit(gpu0)"] = LOST
    nvml.calls["nvmlDeviceGetCurrentClocksThrottleReasons(gpu0)"] = LOST
    for _ in range(3):
        values = gpus.read([TRAINING])
    assert {name for name, value in values.items() if value is not None} == {"gpu_clock_limit:0"}
    assert len(gpus.missing) == 1
    assert "GPU 0 no longer answers" in gpus.missing[0]


def test_one_that_does_not_open_leaves_the_others():
    gpus, _ = reader(two_gpus(**{"nvmlDeviceGetHandleByIndex(0)": LOST}))
    assert {column.partition(":")[2] for column in gpus.columns} == {"1"}
    assert "GPU 0" in gpus.missing[0]


@pytest.mark.parametrize(
    ("environment", "seen"),
    [
        ({}, [0, 1]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, [1]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-bb"}, [1]),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
    ],
)
def test_only_what_the_training_sees_is_read(environment, seen):
    gpus, _ = reader(two_gpus(), environment=environment)
    assert [device.index for device in gpus.devices] == seen


def test_numbers_of_gpus_that_differ_do_not_say_which():
    unlike = two_gpus(**{"nvmlDeviceGetName(gpu1)": {"result": "NVIDIA L4"}})
    number = {"CUDA_VISIBLE_DEVICES": "1"}
    assert len(reader(unlike, environment=number)[0].devices) == 2
    by_bus = {**number, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert [one.index for one in reader(unlike, environment=by_bus)[0].devices] == [1]


def parted():
    """A GPU with two MIG devices; heat and power are of the whole."""
    parts = {}
    for number, size in ((7, 10), (8, 20)):
        memory = {"struct": {"used": number * GIB, "total": size * GIB}}
        parts |= {
            f"nvmlDeviceGetUUID(gpu{number})": {"result": f"MIG-{number}"},
            f"nvmlDeviceGetMemoryInfo(gpu{number}, 33554472)": {"result": memory},
            f"nvmlDeviceGetComputeRunningProcesses_v3(gpu{number})": {"result": []},
            f"nvmlDeviceGetGraphicsRunningProcesses_v3(gpu{number})": {"result": []},
        }
    return {
        **parts,
        "nvmlDeviceGetMigMode(gpu0)": {"result": [1, 1]},
        "nvmlDeviceGetMaxMigDeviceCount(gpu0)": {"result": 3},
        "nvmlDeviceGetMigDeviceHandleByIndex(gpu0, 0)": {"result": {"handle": 7}},
        "nvmlDeviceGetMigDeviceHandleByIndex(gpu0, 1)": {"result": {"handle": 8}},
        "nvmlDeviceGetMigDeviceHandleByIndex(gpu0, 2)": {"error": pynvml.NVML_ERROR_NOT_FOUND},
        "nvmlDeviceGetUtilizationRates(gpu0)": {"error": pynvml.NVML_ERROR_NOT_SUPPORTED},
        MEMORY: REFUSED,
    }


@pytest.mark.parametrize(
    ("named", "total"), [(None, 30), ("MIG-8", 20), ("MIG-7", 10), ("MIG-7,MIG-8", 30)]
)
def test_mig_tells_memory_of_its_parts(named, total):
    environment = {} if named is None else {"CUDA_VISIBLE_DEVICES": named}
    gpus, _ = reader(parted(), environment=environment)
    values = gpus.read([TRAINING])
    assert values["gpu_total_bytes:0"] == total * GIB
    assert values["gpu_busy_ratio:0"] is None
    assert values["gpu_temperature:0"] is not None
    assert "MIG" in gpus.missing[0]


def test_all_metrics_of_gpus_are_read():
    gpus, _ = reader()
    read = {name.partition(":")[0] for name in gpus.read([1])}
    assert read == set(GPU_METRICS) - {"gpu_xid"}
