"""FG305: the driver, or every driver for this CUDA, has dropped the GPU."""

import pytest
from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, KernelLog
from fitguard.schema.software import Platform

LEGACY = (
    "NVRM: The NVIDIA Tesla K80 GPU installed in this system is supported through the "
    "NVIDIA 470.xx Legacy drivers. Please visit http://www.nvidia.com"
)


def test_driver_has_dropped_it():
    (finding,) = what_if("FG305", "gpu=GTX 1080", "driver=590.44").findings
    assert finding.slug == "driver-dropped-gpu"
    assert finding.severity == "error"
    assert finding.title == "Driver 590.44 has dropped the GTX 1080: its last branch is 580"
    assert finding.evidence[0].source == "--what-if driver=590.44"
    assert "driver_arch" in finding.evidence[2].source
    assert "branch 580" in finding.fix.text


@pytest.mark.parametrize(
    ("driver", "system", "fires"),
    [
        ("470.256.02", "linux-x86_64", False),
        ("471", "linux-x86_64", True),
        ("474.14", "windows", False),
        ("496.13", "windows", True),
    ],
)
def test_boundary(driver, system, fires):
    report = what_if("FG305", "gpu=K80", f"driver={driver}", f"os={system}")
    assert bool(report.findings) is fires


def test_no_driver_for_both():
    (finding,) = what_if("FG305", "gpu=Tesla K80", "cuda=12.2").findings
    assert "No driver supports both the Tesla K80 (last branch 470) and CUDA 12.2" in finding.title
    assert "TensorFlow 2.14.1" in finding.fix.text
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.14.1"',)


def test_another_python_needs_another_environment():
    (finding,) = what_if("FG305", "gpu=Tesla K80", "cuda=12.2", "python=3.13").findings
    assert "Python 3.9 to 3.11" in finding.fix.text
    assert "python3.11 -m venv" in finding.fix.commands[0]


def test_a_cuda_that_tensorflow_does_not_load_does_not_count():
    assert what_if("FG305", "gpu=Tesla K80", "cuda=12.2", "tf=2.10").findings == ()


def test_kernel_log_names_the_branch():
    log = KernelLog(True, module_messages=(LEGACY,), origin="dmesg")
    platform = Platform(system="linux", distribution="ubuntu 22.04")
    facts = Facts(driver=Driver(version="535.1"), gpus=(), kernel_log=log, platform=platform)
    (finding,) = run("FG305", facts).findings
    assert (finding.evidence[0].text, finding.evidence[0].source) == (LEGACY, "dmesg")
    assert finding.fix.commands[-1] == "sudo apt-get install nvidia-driver-470"


@pytest.mark.parametrize(
    "arguments",
    [
        ["gpu=Tesla K80", "cuda=11.8", "driver=470"],
        ["gpu=RTX 3090", "cuda=12.2", "driver=595"],
        ["gpu=GTX 1080", "cuda=13.0", "driver=580.65.06"],
    ],
)
def test_fine(arguments):
    assert what_if("FG305", *arguments).passed == ("FG305",)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["driver=595"], "the GPU is not known"),
        (["driver=595", "gpu=none"], "there is no GPU"),
        (["gpu=Tesla K80"], "neither the driver nor the CUDA version is known"),
    ],
)
def test_skips(arguments, reason):
    assert what_if("FG305", *arguments).skipped[0].reason == reason
