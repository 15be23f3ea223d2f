"""GPUs that were left out, when the run is resumed."""

import msgspec
from supervise.story import TWO_GPUS

from fitguard.schema.journal import Orders
from fitguard.schema.probe import ProbeReport, ProbeResult
from fitguard.supervise.taking_back import take_back, with_all_gpus

LEFT_OUT = Orders(
    seed=1, environment={"CUDA_VISIBLE_DEVICES": "GPU-1", "TF_GPU_ALLOCATOR": "cuda_malloc_async"}
)


def probed(*results):
    report = ProbeReport(results=tuple(results))
    return msgspec.structs.replace(TWO_GPUS, probed=report)


def result(index, status):
    return ProbeResult(name="matmul", device=f"GPU {index}", status=status)


def test_a_gpu_that_passes_is_used_again_and_that_is_said():
    orders, text = take_back(LEFT_OUT, probed(result(0, "pass"), result(1, "pass")))
    assert orders == with_all_gpus(LEFT_OUT)
    assert orders.environment == {"TF_GPU_ALLOCATOR": "cuda_malloc_async"}
    assert "used again" in text
    assert "last digits" in text


def test_a_gpu_that_crashes_its_probe_stays_out():
    orders, text = take_back(LEFT_OUT, probed(result(0, "crash"), result(1, "pass")))
    assert orders.environment == LEFT_OUT.environment
    assert "without GPU 0" in text


def test_another_gpu_that_is_sick_now_is_left_out_instead():
    orders, _ = take_back(LEFT_OUT, probed(result(0, "pass"), result(1, "crash")))
    assert orders.environment["CUDA_VISIBLE_DEVICES"] == "GPU-0"


def test_without_an_answer_nothing_changes():
    orders, text = take_back(LEFT_OUT, probed())
    assert orders == LEFT_OUT
    assert "stay left out" in text
