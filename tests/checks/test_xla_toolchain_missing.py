"""FG209 xla-toolchain-missing."""

import msgspec
import pytest
from checks.library_facts import machine, toolkit, what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, Toolkit

BOTH = {"ptxas": "/usr/local/cuda/bin/ptxas", "libdevice": "/usr/local/cuda/libdevice.10.bc"}


def judged(version: str, lacking: tuple[str, ...], **more):
    files = {name: path for name, path in BOTH.items() if name not in lacking}
    return run("FG209", machine(version, [], **files, **more))


@pytest.mark.parametrize(
    ("lacking", "named", "confidence"),
    [
        (("libdevice",), "libdevice.10.bc:", "high"),
        (("ptxas",), "ptxas:", "medium"),
        (("libdevice", "ptxas"), "libdevice.10.bc and ptxas:", "high"),
    ],
)
def test_what_is_missing_is_named(lacking, named, confidence):
    (finding,) = judged("2.16.1", lacking).findings
    assert (finding.severity, finding.confidence) == ("error", confidence)
    assert finding.title.startswith(f"XLA will not find {named}")
    assert finding.evidence[0].source == "all places where XLA looks"
    assert finding.evidence[-1].source == "NVML"


@pytest.mark.parametrize(
    ("version", "wheel"),
    [
        ("2.14.1", "nvidia-cuda-nvcc-cu11==11.8.89"),
        ("2.15.1", "nvidia-cuda-nvcc-cu12==12.2.140"),
        ("2.21.0", "nvidia-cuda-nvcc-cu12<13.0,>=12.5.82"),
    ],
)
def test_the_fix_is_the_wheel_of_the_release(version, wheel):
    (finding,) = judged(version, ("ptxas",)).findings
    assert finding.fix.commands == (f'python -m pip install "{wheel}"',)


def test_releases_that_do_not_look_at_wheels_are_told():
    (finding,) = judged("2.12.0", ("libdevice",)).findings
    install, use = finding.fix.commands
    assert install == "python -m pip install nvidia-cuda-nvcc-cu11"
    assert use.startswith('export XLA_FLAGS="$XLA_FLAGS "--xla_gpu_cuda_data_dir="$(python -c ')


def test_a_toolkit_that_lies_elsewhere_is_used():
    held = Toolkit("12.2", "/opt/nvidia/cuda-12.2", nvcc=True)
    (finding,) = judged("2.15.1", ("libdevice",), toolkits=(held,)).findings
    assert finding.fix.commands == (
        'export XLA_FLAGS="$XLA_FLAGS "--xla_gpu_cuda_data_dir=/opt/nvidia/cuda-12.2',
    )


def test_a_toolkit_of_another_major_or_without_compiler_is_not_used():
    others = (Toolkit("11.8", "/opt/cuda-11.8", nvcc=True), Toolkit("12.2", "/opt/cuda-12.2"))
    (finding,) = judged("2.15.1", ("libdevice",), toolkits=others).findings
    assert "pip install" in finding.fix.commands[0]


def test_conda_brings_its_own():
    facts = machine("2.18.0", [])
    conda = Packages(found=(Package(name="tensorflow", version="2.18.0", installer="conda"),))
    (finding,) = run("FG209", msgspec.structs.replace(facts, packages=conda)).findings
    assert finding.fix.commands[0] == 'conda install -c conda-forge "cuda-nvcc=12.*"'


def test_both_there_or_an_old_release_is_fine():
    assert judged("2.16.1", ()).passed == ("FG209",)
    assert judged("2.10.1", ("libdevice", "ptxas")).passed == ("FG209",)


def test_the_first_release_that_uses_xla_unasked():
    assert judged("2.11.0", ("libdevice",)).findings


def test_missing_cuda_comes_first():
    report = judge_machine(machine("2.16.1", toolkit("12.3")), select=["FG203", "FG209"])
    assert [item.code for item in report.findings] == ["FG203"]


def test_skips_without_the_facts():
    assert "not known" in run("FG209", what_if("tf=2.16", "gpu=T4", "cuda=12.3")).skipped[0].reason
    assert run("FG209", machine("2.16.1", [], gpus=())).skipped
    assert run("FG209", Facts()).skipped
