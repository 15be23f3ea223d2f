"""FG202 cuda-version-mismatch."""

import pytest
from checks.library_facts import library, machine, toolkit, what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run


@pytest.mark.parametrize(
    ("tensorflow", "cuda"),
    [
        ("1.12.0", "9.1"),
        ("1.15.0", "10.1"),
        ("2.3.0", "10.0"),
        ("2.3.0", "10.2"),
        ("2.4.1", "11.2"),
        ("2.10.1", "11.0"),
        ("2.15.1", "11.8"),
        ("2.14.0", "12.2"),
        ("2.21.0", "13.0"),
    ],
)
def test_libraries_under_other_names(tensorflow, cuda):
    facts = what_if(f"tf={tensorflow}", "package=tensorflow-gpu", f"cuda={cuda}")
    (finding,) = run("FG202", facts).findings
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert f"CUDA {cuda}" in finding.title
    assert finding.evidence[0].source == f"--what-if cuda={cuda}"
    assert "fitguard knowledge: tensorflow" in finding.evidence[1].source


@pytest.mark.parametrize(
    ("tensorflow", "cuda"),
    [
        ("1.15.0", "10.0"),
        ("2.4.1", "11.0"),
        ("2.10.1", "11.2"),
        ("2.10.1", "11.8"),
        ("2.15.1", "12.2"),
        ("2.15.1", "12.9"),
        ("2.21.0", "12.5"),
    ],
)
def test_the_same_or_a_newer_minor_is_fine(tensorflow, cuda):
    facts = what_if(f"tf={tensorflow}", "package=tensorflow-gpu", f"cuda={cuda}")
    assert run("FG202", facts).passed == ("FG202",)


@pytest.mark.parametrize(("tensorflow", "cuda"), [("2.15.1", "12"), ("2.10.1", "11")])
def test_an_unknown_minor_is_fine(tensorflow, cuda):
    assert run("FG202", what_if(f"tf={tensorflow}", f"cuda={cuda}")).passed == ("FG202",)


@pytest.mark.parametrize(("tensorflow", "cuda"), [("2.15.1", "12.1"), ("2.12.0", "11.2")])
def test_an_older_minor_is_a_warning(tensorflow, cuda):
    (finding,) = run("FG202", what_if(f"tf={tensorflow}", f"cuda={cuda}")).findings
    assert (finding.severity, finding.confidence) == ("warning", "medium")
    assert "is older than" in finding.title


def test_the_renamed_library_is_named():
    (finding,) = run("FG202", what_if("tf=2.4.1", "cuda=11.4")).findings
    assert (
        finding.title == "TensorFlow 2.4.1 needs libcusolver.so.10 of CUDA 11.0; CUDA 11.4 has none"
    )


def test_the_fix_brings_the_cuda_of_the_build():
    (finding,) = run("FG202", what_if("tf=2.15.1", "cuda=11.8")).findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.15.1"',)
    (finding,) = run("FG202", what_if("tf=2.4.1", "cuda=11.4")).findings
    assert "cudatoolkit=11.0" in finding.fix.commands[0]


def test_an_old_minor_on_the_library_path_must_leave_it():
    facts = what_if("tf=2.15.1", "library-path=/usr/local/cuda-12.0/lib64:/opt/own")
    (finding,) = run("FG202", facts).findings
    assert finding.fix.commands[-1] == "export LD_LIBRARY_PATH=/opt/own"
    assert "from LD_LIBRARY_PATH" in finding.fix.text


def test_links_that_lead_to_all_names_count():
    link = library("/usr/local/cuda-11.2/lib64/libcusolver.so.10", None)
    assert run("FG202", machine("2.4.1", [*toolkit("11.2"), link])).passed == ("FG202",)
    assert run("FG202", machine("2.4.1", toolkit("11.2"))).findings


def test_on_windows_the_files_are_dlls():
    (finding,) = run("FG202", what_if("tf=2.10", "cuda=10.1", "os=windows")).findings
    assert finding.evidence[0].text == "CUDA 10.1 (cudart64_101.dll)"
    assert finding.evidence[1].text.endswith("asks for cudart64_110.dll")


def test_without_a_gpu_it_is_a_warning_to_who_chose_it():
    (finding,) = run("FG202", what_if("tf=2.15.1", "cuda=11.8", "gpu=none")).findings
    assert finding.severity == "warning"


def test_without_a_gpu_a_cuda_of_the_system_does_not_matter():
    report = run("FG202", machine("2.21.0", toolkit("13.0"), gpus=()))
    assert "no GPU" in report.skipped[0].reason
    assert run("FG202", machine("2.21.0", toolkit("13.0"))).findings[0].severity == "error"


def test_the_path_conflict_speaks_where_the_right_cuda_lies_unused():
    facts = what_if("tf=2.15", "cuda=11.8", "cuda-toolkits=11.8,12.2")
    assert [item.code for item in judge_machine(facts, select=["FG2"]).findings] == ["FG207"]


def test_skips_without_the_facts():
    assert "not known" in run("FG202", what_if("tf=2.15.1", "cudnn=8.9")).skipped[0].reason
    assert run("FG202", what_if("cuda=12.2")).skipped
    assert "no CUDA" in run("FG202", machine("2.21.0", [])).skipped[0].reason
