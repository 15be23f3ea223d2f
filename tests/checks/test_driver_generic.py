"""FG302: nouveau, nova or vfio-pci hold the GPU."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Driver, Gpu, PciGpu
from fitguard.schema.software import Platform

DEBIAN = Platform(system="linux", distribution="debian 12")


def held_by(name):
    return (PciGpu("0000:01:00.0", "0x2204", name),)


def judged(driver, **facts):
    return run("FG302", Facts(driver=driver, **facts))


def test_nouveau():
    driver = Driver(generic=("nouveau",), pci=held_by("nouveau"))
    (finding,) = judged(driver, platform=DEBIAN).findings
    assert finding.slug == "driver-generic"
    assert finding.severity == "error"
    assert "driver nouveau" in finding.evidence[0].text
    assert finding.evidence[0].source == "/sys/bus/pci"
    assert "sudo apt-get install nvidia-driver" in finding.fix.commands


def test_nouveau_before_an_installed_driver():
    driver = Driver(version="535.1", generic=("nouveau",), pci=held_by("nouveau"))
    assert "blacklist" in judged(driver).findings[0].fix.text


def test_loaded_module_alone():
    (finding,) = judged(Driver(generic=("nouveau",))).findings
    assert finding.evidence[0].source == "/sys/module"


def test_vfio_means_a_virtual_machine():
    (finding,) = judged(Driver(generic=("vfio-pci",), pci=held_by("vfio-pci"))).findings
    assert "virtual machine" in finding.fix.text
    assert finding.fix.commands == ("lspci -nnk -d 10de:",)


def test_in_a_container_the_host_has_to_change():
    driver = Driver(generic=("nouveau",), pci=held_by("nouveau"))
    (finding,) = judged(driver, container=Container("docker")).findings
    assert "host" in finding.fix.text


@pytest.mark.parametrize(
    ("driver", "gpus"),
    [
        (Driver(pci=held_by("nvidia")), None),
        (Driver(generic=("nouveau",), pci=()), None),
        (Driver(generic=("vfio-pci",), pci=held_by("vfio-pci") + held_by("nvidia")), None),
        (Driver(generic=("vfio-pci",), pci=held_by("vfio-pci")), (Gpu(),)),
    ],
    ids=["nvidia", "no-gpu", "one-of-two", "nvml-shows-one"],
)
def test_fine(driver, gpus):
    assert judged(driver, gpus=gpus).passed == ("FG302",)


def test_skips_without_the_driver():
    assert run("FG302", Facts()).skipped[0].code == "FG302"
