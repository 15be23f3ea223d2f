"""GPU memory by process, from a recording of a real NVML."""

import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.supervise.gpu_memory import GpuMemory

GIB = 2**30
COMPUTE = "nvmlDeviceGetComputeRunningProcesses_v3(gpu0)"
MEMORY = "nvmlDeviceGetMemoryInfo(gpu0, 33554472)"


def process(pid, used):
    return {"struct": {"pid": pid, "usedGpuMemory": used}}


def replay(*processes):
    return ReplayNvml("h200", {COMPUTE: {"result": list(processes)}})


def test_the_processes_of_the_training_are_added():
    memory = GpuMemory(lambda: replay(process(10, 2 * GIB), process(11, GIB), process(99, GIB)))
    assert memory.bytes_of([10, 11]) == 3 * GIB


def test_nobody_on_the_gpu_holds_nothing():
    assert GpuMemory(replay).bytes_of([10]) == 0


def test_foreign_numbers_leave_what_the_gpu_uses_more_than_before():
    nvml = replay()
    memory = GpuMemory(lambda: nvml)
    memory.bytes_of([10])
    before = nvml.nvmlDeviceGetMemoryInfo(nvml.nvmlDeviceGetHandleByIndex(0), nvml.nvmlMemory_v2)
    grown = {"struct": {"used": before.used + 5 * GIB, "total": before.total}}
    nvml.calls |= {COMPUTE: {"result": [process(4711, None)]}, MEMORY: {"result": grown}}
    assert memory.bytes_of([10]) == 5 * GIB


@pytest.mark.parametrize("error", [None, OSError("file too short")])
def test_a_machine_without_nvml_has_no_answer(error):
    def load():
        if error:
            raise error

    assert GpuMemory(load).bytes_of([10]) is None


def test_nvml_that_does_not_start_has_no_answer():
    refused = ReplayNvml("h200", {"nvmlInit()": {"error": 9}})
    assert GpuMemory(lambda: refused).bytes_of([10]) is None
