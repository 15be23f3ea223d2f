"""FG204 cudnn-too-old."""

import msgspec
import pytest
from checks.library_facts import library, machine, what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run


@pytest.mark.parametrize(
    ("tensorflow", "cudnn"),
    [("1.15.0", "7.4.2"), ("2.10.1", "8.0.5"), ("2.13.0", "8.5.0"), ("2.18.0", "9.1.0")],
)
def test_an_older_minor(tensorflow, cudnn):
    facts = what_if(f"tf={tensorflow}", "package=tensorflow-gpu", f"cudnn={cudnn}")
    (finding,) = run("FG204", facts).findings
    assert finding.severity == "error"
    assert finding.title.startswith(f"cuDNN {cudnn} is older than the ")
    assert finding.evidence[0].source == f"--what-if cudnn={cudnn}"


@pytest.mark.parametrize(
    ("tensorflow", "cudnn"),
    [("2.10.1", "8.1.0"), ("2.10.1", "8.9"), ("2.15.1", "8.9.2"), ("2.18.0", "9"), ("2.21", "9.3")],
)
def test_the_same_or_a_newer_minor_is_fine(tensorflow, cudnn):
    assert run("FG204", what_if(f"tf={tensorflow}", f"cudnn={cudnn}")).passed == ("FG204",)


def test_the_confidence_follows_the_table():
    certain = run("FG204", what_if("tf=2.18.0", "cudnn=9.1")).findings[0]
    doubtful = run("FG204", what_if("tf=2.10.1", "cudnn=8.0.5")).findings[0]
    assert (certain.confidence, doubtful.confidence) == ("high", "medium")


def test_the_fix_is_right_for_the_release():
    (finding,) = run("FG204", what_if("tf=2.18.0", "cudnn=9.1")).findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.18.0"',)
    (finding,) = run("FG204", what_if("tf=2.10.1", "cudnn=8.0.5")).findings
    assert finding.fix.commands[0].startswith("conda install -c conda-forge cudatoolkit=11.2")


def test_what_library_path_puts_first_must_leave_it():
    old = library("/opt/cudnn/lib/libcudnn.so.9", "9.1.0", "LD_LIBRARY_PATH")
    facts = machine("2.18.0", [old], library_path=("/opt/cudnn/lib",))
    (finding,) = run("FG204", facts).findings
    assert finding.evidence[0].source == "/opt/cudnn/lib/libcudnn.so.9 (by LD_LIBRARY_PATH)"
    assert finding.fix.commands[-1] == "unset LD_LIBRARY_PATH"


def test_a_better_one_further_on_is_left_to_another_check():
    found = [
        library("/opt/cudnn/lib/libcudnn.so.9", "9.1.0", "LD_LIBRARY_PATH"),
        library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.5.1"),
    ]
    report = judge_machine(machine("2.18.0", found), select=["FG204", "FG208"])
    assert [item.code for item in report.findings] == ["FG208"]
    assert report.skipped[0].reason == "fix FG208 first"


def test_without_a_gpu_it_is_a_warning():
    (finding,) = run("FG204", what_if("tf=2.18", "cudnn=9.1", "gpu=none")).findings
    assert finding.severity == "warning"


def test_another_major_is_another_check():
    assert run("FG204", what_if("tf=2.18", "cudnn=8.9")).findings == ()


def test_skips_without_the_facts():
    assert run("FG204", what_if("tf=2.18")).skipped
    assert run("FG204", what_if("cudnn=9.1")).skipped
    report = run("FG204", what_if("tf=2.18", "package=tensorflow-cpu", "cudnn=9.1"))
    assert "without CUDA" in report.skipped[0].reason


def test_a_version_that_cannot_be_read_skips():
    odd = library("/opt/cudnn/lib/libcudnn.so.9", "unknown")
    assert "is not known" in run("FG204", machine("2.18.0", [odd])).skipped[0].reason


def test_a_build_whose_cudnn_is_unknown_skips():
    facts = machine("2.99.0", [library("/opt/cudnn/lib/libcudnn.so.9", "9.1.0")])
    facts = msgspec.structs.replace(
        facts, tensorflow=msgspec.structs.replace(facts.tensorflow, cuda="12.9")
    )
    assert "which cuDNN" in run("FG204", facts).skipped[0].reason
