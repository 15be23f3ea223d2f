"""FG703: a container or WSL without the host's GPU."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, DeviceNode, Driver, Gpu, PciGpu
from fitguard.schema.software import Platform

DOCKER = Container("docker", "/.dockerenv exists", host_has_gpu=True)
ON_BUS = (PciGpu("0000:01:00.0", "0x2204"),)
WSL = Platform(system="linux", wsl=True)


def judged(driver, **facts):
    return run("FG703", Facts(driver=driver, **facts))


def test_not_passed_in():
    driver = Driver(kernel_version="535.1", pci=ON_BUS)
    (finding,) = judged(driver, container=DOCKER).findings
    assert (finding.slug, finding.severity) == ("container-no-gpu", "error")
    assert finding.confidence == "high"
    assert finding.evidence[0].source == "/.dockerenv exists"
    assert finding.evidence[1].source == "/proc/driver/nvidia"
    assert "--gpus all" in finding.fix.text
    assert finding.fix.commands == ("docker run --rm --gpus all ubuntu nvidia-smi",)


@pytest.mark.parametrize(
    ("runtime", "word"),
    [
        ("podman", "nvidia.com/gpu=all"),
        ("kubernetes", "nvidia.com/gpu: 1"),
        ("singularity", "--nv"),
        ("lxc", "device files"),
    ],
)
def test_each_runtime_has_its_way(runtime, word):
    (finding,) = judged(Driver(), container=Container(runtime, host_has_gpu=True)).findings
    assert word in finding.fix.text


def test_devices_without_the_library():
    driver = Driver(kernel_version="535.1", nodes=(DeviceNode("/dev/nvidia0", True),))
    (finding,) = judged(driver, container=DOCKER).findings
    assert "driver's libraries" in finding.title


def test_image_made_for_gpus():
    environment = {"NVIDIA_VISIBLE_DEVICES": "all"}
    inside = Container("docker", host_has_gpu=None)
    (finding,) = judged(Driver(), container=inside, environment=environment).findings
    assert finding.confidence == "medium"
    assert finding.evidence[1].text == "NVIDIA_VISIBLE_DEVICES=all"


def test_image_made_for_gpus_on_a_host_without():
    environment = {"NVIDIA_VISIBLE_DEVICES": "all"}
    inside = Container("docker", host_has_gpu=False)
    assert judged(Driver(pci=()), container=inside, environment=environment).passed == ("FG703",)


@pytest.mark.parametrize(
    ("value", "fires"),
    [("utility", True), ("graphics,display", True), ("compute,utility", False), ("all", False)],
)
def test_capabilities(value, fires):
    environment = {"NVIDIA_DRIVER_CAPABILITIES": value}
    report = judged(
        Driver(version="535.1"), container=DOCKER, gpus=(Gpu(),), environment=environment
    )
    assert bool(report.findings) is fires


def test_gpu_hidden_on_purpose_is_another_check():
    environment = {"NVIDIA_VISIBLE_DEVICES": "void"}
    assert judged(Driver(), container=DOCKER, environment=environment).passed == ("FG703",)


def test_wsl_without_dxg():
    (finding,) = judged(Driver(pci=()), platform=WSL).findings
    assert "/dev/dxg" in finding.title
    assert finding.fix.commands[0] == "wsl.exe --update"


@pytest.mark.parametrize(
    ("driver", "facts"),
    [
        (Driver(version="535.1"), {"container": DOCKER, "gpus": (Gpu(),)}),
        (Driver(), {"container": Container(host_has_gpu=True)}),
        (Driver(), {"container": Container("docker", host_has_gpu=False)}),
        (Driver(pci=(), nodes=(DeviceNode("/dev/dxg", True),)), {"platform": WSL}),
        (Driver(version="546.12"), {"platform": WSL}),
    ],
    ids=["passed-in", "no-container", "no-gpu", "wsl", "supposed-wsl"],
)
def test_fine(driver, facts):
    assert judged(driver, **facts).passed == ("FG703",)


def test_skips():
    assert judged(Driver()).skipped[0].reason == "whether this is a container is not known"
    assert run("FG703", Facts(container=DOCKER)).skipped[0].reason == "the GPU driver is not known"
