"""FG206 cudnn-dropped-arch."""

import msgspec
import pytest
from checks.library_facts import T4, library, machine, what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run
from fitguard.schema.hardware import Gpu

V100 = Gpu(name="Tesla V100-SXM2-16GB", compute_capability="7.0", origin="NVML")


def test_a_cudnn_without_the_gpu():
    facts = what_if("tf=2.18.0", "cudnn=9.17", "gpu=GTX 1080")
    (finding,) = run("FG206", facts).findings
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert finding.title == "cuDNN 9.17 does not support the GTX 1080 (compute capability 6.1)"
    assert [item.source for item in finding.evidence[:2]] == [
        "--what-if cudnn=9.17",
        "--what-if gpu=GTX 1080",
    ]
    assert "starts at compute capability 7.5" in finding.evidence[2].text
    assert finding.fix.commands == ('python -m pip install "nvidia-cudnn-cu12>=9.3,<9.11"',)


def test_where_the_table_is_not_sure_neither_is_the_finding():
    (finding,) = run("FG206", what_if("tf=2.18", "cudnn=9.11", "gpu=V100")).findings
    assert (finding.severity, finding.confidence) == ("error", "medium")


@pytest.mark.parametrize(
    ("cudnn", "gpu"), [("9.10", "V100"), ("9.10", "GTX 980"), ("9.17", "T4"), ("9.17", "RTX 4090")]
)
def test_a_gpu_that_is_served(cudnn, gpu):
    assert run("FG206", what_if("tf=2.18", f"cudnn={cudnn}", f"gpu={gpu}")).passed == ("FG206",)


def test_kepler_under_an_old_release_gets_the_cudnn_of_the_build():
    (finding,) = run("FG206", what_if("tf=2.10", "cudnn=8.9.7", "gpu=Tesla K80")).findings
    assert "cudnn=8.1.0" in finding.fix.commands[0]
    assert run("FG206", what_if("tf=2.10", "cudnn=8.4", "gpu=Tesla K80")).passed == ("FG206",)


def test_where_no_cudnn_serves_both_an_older_release_does():
    (finding,) = run("FG206", what_if("tf=2.15", "cudnn=8.9.4", "gpu=Tesla K80")).findings
    assert "No cuDNN supports both" in finding.fix.text
    assert "==2.14.1" in finding.fix.commands[0]


@pytest.mark.parametrize("version", ["2.20", "2.21"])
def test_a_range_of_pip_may_bring_a_cudnn_without_the_gpu(version):
    facts = what_if(f"tf={version}", "extras=and-cuda", "gpu=GTX 1080")
    (finding,) = run("FG206", facts).findings
    assert finding.severity == "warning"
    assert ">=9.3.0.75" in finding.evidence[0].text
    assert finding.fix.commands == ('python -m pip install "nvidia-cudnn-cu12>=9.3,<9.11"',)


def test_exact_pins_and_newer_gpus_are_fine():
    pinned = what_if("tf=2.19", "extras=and-cuda", "gpu=GTX 1080")
    assert run("FG206", pinned).passed == ("FG206",)
    newer = what_if("tf=2.21", "extras=and-cuda", "gpu=T4")
    assert run("FG206", newer).passed == ("FG206",)


def test_what_was_measured_counts_not_the_range():
    wheel = library(
        "/venv/nvidia/cudnn/lib/libcudnn.so.9",
        "9.10.2.21",
        version_from="wheel nvidia-cudnn-cu12",
        package="nvidia-cudnn-cu12",
    )
    assert run("FG206", machine("2.21.0", [wheel], gpus=(V100,))).passed == ("FG206",)


def test_only_the_old_one_of_two_gpus_is_named():
    found = [library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.17.0")]
    (finding,) = run("FG206", machine("2.21.0", found, gpus=(T4, V100, V100))).findings
    assert "V100" in finding.title


def test_a_gpu_too_old_for_tensorflow_itself_is_another_check():
    facts = what_if("tf=2.15", "cudnn=8.9.4", "cuda=12.2", "gpu=Tesla K80")
    codes = [item.code for item in judge_machine(facts).findings]
    assert "FG306" in codes
    assert "FG206" not in codes


def test_skips_without_the_facts():
    assert "minor" in run("FG206", what_if("tf=2.18", "cudnn=9", "gpu=V100")).skipped[0].reason
    assert run("FG206", what_if("tf=2.18", "cudnn=9.17")).skipped
    assert run("FG206", what_if("tf=2.18", "gpu=V100")).skipped
    found = [library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.17.0")]
    nameless = msgspec.structs.replace(V100, name=None, compute_capability=None)
    report = run("FG206", machine("2.21.0", found, gpus=(nameless,)))
    assert "compute capability" in report.skipped[0].reason
