"""FG312: no NVIDIA GPU at all."""

from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, PciGpu


def test_supposed_machine_without_gpu():
    (finding,) = what_if("FG312", "gpu=none").findings
    assert (finding.slug, finding.severity) == ("gpu-absent", "info")
    assert finding.evidence[0].source == "the facts given"
    assert finding.fix.commands == ()


def test_real_machine_without_gpu():
    (finding,) = run("FG312", Facts(driver=Driver(pci=()), gpus=())).findings
    assert finding.evidence[0].source == "/sys/bus/pci/devices"


def test_a_gpu_on_the_bus_is_a_matter_of_the_driver():
    pci = (PciGpu("0000:01:00.0", "0x2204"),)
    assert run("FG312", Facts(driver=Driver(pci=pci), gpus=())).passed == ("FG312",)


def test_gpu_is_there():
    assert what_if("FG312", "gpu=RTX 3090").passed == ("FG312",)


def test_skips_where_it_is_unknown():
    assert what_if("FG312", "tf=2.18").skipped[0].reason == "the GPU is not known"
