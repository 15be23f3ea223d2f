"""FG309: settings that hide a GPU."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, DeviceNode, Driver, Gpu, GpuProcess

TWO = (
    Gpu(index=0, name="NVIDIA A100", uuid="GPU-1111-aaaa", origin="NVML"),
    Gpu(index=1, name="NVIDIA A100", uuid="GPU-2222-bbbb", origin="NVML"),
)


def judged(**facts):
    return run("FG309", Facts(**facts))


def by_variable(value, gpus=TWO):
    return judged(gpus=gpus, environment={"CUDA_VISIBLE_DEVICES": value})


@pytest.mark.parametrize("value", ["", "-1", "NoDevFiles", "2", "GPU-3333", "none", "-1,0"])
def test_variable_hides_all(value):
    (finding,) = by_variable(value).findings
    assert finding.slug == "gpu-hidden"
    assert finding.severity == "error"
    assert finding.evidence[0].text == f"CUDA_VISIBLE_DEVICES={value}"
    assert finding.evidence[0].source == "environment variable"
    assert finding.evidence[1].source == "NVML"
    assert finding.fix.commands[-1] == "unset CUDA_VISIBLE_DEVICES"


def test_variable_names_one_gpu_too_many():
    (finding,) = by_variable("0,5").findings
    assert finding.severity == "warning"
    assert "'5'" in finding.title


@pytest.mark.parametrize("value", ["0", "1", "0,1", "1, 0", "GPU-22", "GPU-1111-aaaa", "MIG-7"])
def test_variable_leaves_a_gpu(value):
    assert by_variable(value).passed == ("FG309",)


def test_uuids_that_are_not_known_may_be_right():
    assert by_variable("GPU-3333", gpus=(Gpu(name="A100"),)).passed


def test_container_variable():
    environment = {"NVIDIA_VISIBLE_DEVICES": "void"}
    inside = Container("docker", host_has_gpu=True)
    (finding,) = judged(driver=Driver(), environment=environment, container=inside).findings
    assert "NVIDIA_VISIBLE_DEVICES" in finding.title
    assert judged(gpus=TWO, environment=environment, container=inside).passed
    alone = Container("docker", host_has_gpu=False)
    assert judged(gpus=(), environment=environment, container=alone).passed


def test_prohibited():
    (finding,) = judged(gpus=(Gpu(index=3, compute_mode="Prohibited", origin="NVML"),)).findings
    assert "GPU 3" in finding.title
    assert finding.evidence[0].text == "compute mode Prohibited"
    assert finding.fix.commands == ("nvidia-smi -i 3 -q -d COMPUTE,PIDS",)


@pytest.mark.parametrize(
    ("process", "fires"),
    [
        (GpuProcess(4711, "python"), True),
        (GpuProcess(4711, "python", own=True), False),
        (GpuProcess(4711, "nvidia-cuda-mps-server"), False),
    ],
)
def test_exclusive(process, fires):
    gpu = Gpu(compute_mode="Exclusive_Process", processes=(process,))
    findings = judged(gpus=(gpu,)).findings
    assert bool(findings) is fires
    assert not fires or "4711" in findings[0].evidence[1].text


def test_device_files_of_others():
    nodes = (DeviceNode("/dev/nvidia0", True), DeviceNode("/dev/nvidiactl", False))
    (finding,) = judged(driver=Driver(nodes=nodes)).findings
    assert finding.evidence[0].source == "/dev/nvidiactl"
    assert "video" in finding.fix.text


def test_one_open_device_file_is_enough():
    nodes = (
        DeviceNode("/dev/nvidia0", False),
        DeviceNode("/dev/nvidia1", True),
        DeviceNode("/dev/nvidiactl", True),
    )
    assert judged(driver=Driver(nodes=nodes)).passed
    assert judged(driver=Driver(nodes=(nodes[0], nodes[2]))).findings


def test_skips_where_nothing_is_known():
    assert judged(environment={"CUDA_VISIBLE_DEVICES": "-1"}).skipped[0].reason == (
        "the GPU is not known"
    )
