"""FG105: a processor without AVX."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Cpu
from fitguard.schema.software import Package, Packages, Platform, TensorFlow

X86 = Platform(system="linux", machine="x86_64")
CELERON = Cpu(model="Intel(R) Celeron(R) N4505", features=("sse4_1", "sse4_2"))


def judged(version="2.18.1", cpu=CELERON, platform=X86, packages=None):
    facts = Facts(
        tensorflow=TensorFlow(version=version), cpu=cpu, platform=platform, packages=packages
    )
    return run("FG105", facts)


def test_fires_without_avx():
    (finding,) = judged().findings
    assert finding.slug == "cpu-isa"
    assert finding.severity == "error"
    assert finding.evidence[0].text == "Intel(R) Celeron(R) N4505 without avx"
    assert finding.evidence[0].source == "/proc/cpuinfo"
    assert finding.fix.commands == ("conda create -n tensorflow -c conda-forge tensorflow",)


@pytest.mark.parametrize(("version", "fires"), [("1.5.1", False), ("1.6.0", True)])
def test_boundary(version, fires):
    assert bool(judged(version).findings) is fires


def test_avx_is_enough():
    assert judged(cpu=Cpu(features=("sse4_2", "avx"))).passed == ("FG105",)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"cpu": None}, "the processor is not known"),
        ({"cpu": Cpu()}, "the instruction sets of the processor are not known"),
        ({"platform": Platform(system="linux", machine="aarch64")}, "AVX exists on x86"),
        ({"platform": None}, "AVX exists on x86"),
        (
            {"packages": Packages((Package(name="tensorflow", installer="conda"),))},
            "conda's builds of TensorFlow do without AVX",
        ),
    ],
)
def test_skips(facts, reason):
    (skipped,) = judged(**facts).skipped
    assert skipped.reason.startswith(reason)
