"""FG301: a GPU, and no driver that works for it."""

import pytest
from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Driver, Gpu, KernelLog, PciGpu
from fitguard.schema.software import Platform

ON_BUS = (PciGpu("0000:01:00.0", "0x2204"),)
UBUNTU = Platform(system="linux", distribution="ubuntu 22.04", kernel="5.15.0-91-generic")
MODULE = "/lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko"
REJECTED = "Loading of module with unavailable key is rejected"


def judged(driver, **facts):
    return run("FG301", Facts(driver=driver, **facts))


def test_nothing_is_installed():
    (finding,) = judged(Driver(pci=ON_BUS), platform=UBUNTU).findings
    assert finding.slug == "driver-missing"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "/sys/bus/pci/devices"
    assert "0000:01:00.0" in finding.evidence[0].text
    assert finding.fix.commands[-1] == "sudo ubuntu-drivers install"


def test_supposed_machine_without_driver():
    (finding,) = what_if("FG301", "gpu=RTX 3090", "driver=none").findings
    assert finding.evidence[0].source == "--what-if gpu=RTX 3090"


def test_module_refused_by_secure_boot():
    log = KernelLog(True, module_messages=(REJECTED,), origin="dmesg")
    driver = Driver(version="535.129.03", installed_module=MODULE, secure_boot=True, pci=ON_BUS)
    (finding,) = judged(driver, kernel_log=log).findings
    assert "Secure Boot" in finding.title
    assert finding.confidence == "high"
    assert (REJECTED, "dmesg") in [(item.text, item.source) for item in finding.evidence]
    assert "Enroll MOK" in finding.fix.text
    assert not any("--import" in command for command in finding.fix.commands)


def test_secure_boot_without_a_message_is_less_sure():
    driver = Driver(installed_module=MODULE, secure_boot=True, pci=ON_BUS)
    (finding,) = judged(driver).findings
    assert (finding.confidence, "Secure Boot" in finding.title) == ("medium", True)


def test_module_for_another_kernel():
    other = MODULE.replace("5.15.0-91", "5.15.0-89")
    driver = Driver(version="535.129.03", installed_module=other, secure_boot=False, pci=ON_BUS)
    (finding,) = judged(driver, platform=UBUNTU).findings
    assert "not loaded" in finding.title
    assert "another kernel" in finding.fix.text
    assert finding.fix.commands[0] == "sudo modprobe nvidia"


def test_library_is_missing():
    (finding,) = judged(Driver(kernel_version="535.129.03", pci=ON_BUS), platform=UBUNTU).findings
    assert "libcuda is missing" in finding.title
    assert finding.fix.commands[-1] == "sudo apt-get install nvidia-driver-535"


@pytest.mark.parametrize(
    ("driver", "facts"),
    [
        (Driver(pci=()), {}),
        (Driver(), {}),
        (Driver(version="535.1", kernel_version="535.1", pci=ON_BUS), {}),
        (Driver(version="535.1", pci=(PciGpu("0000:01:00.0", "0x2204", "nvidia"),)), {}),
        (Driver(generic=("nouveau",), pci=ON_BUS), {}),
        (Driver(version="546.12", pci=ON_BUS), {"platform": Platform(system="linux", wsl=True)}),
        (Driver(kernel_version="535.1", pci=ON_BUS), {"gpus": (Gpu(),)}),
    ],
    ids=["no-gpu", "unknown", "whole", "bound", "generic", "wsl", "nvml-works"],
)
def test_fine(driver, facts):
    assert judged(driver, **facts).passed == ("FG301",)


def test_container_is_the_hosts_matter():
    inside = judged(Driver(pci=ON_BUS), container=Container("docker", host_has_gpu=True))
    assert "belongs to the host" in inside.skipped[0].reason
    (finding,) = judged(
        Driver(pci=ON_BUS), container=Container("docker", host_has_gpu=False)
    ).findings
    assert "host" in finding.fix.text
    assert finding.fix.commands == ()


def test_skips_without_the_driver():
    assert run("FG301", Facts()).skipped[0].reason == "the GPU driver is not known"
