"""FG205 cudnn-major-mismatch."""

import pytest
from checks.library_facts import KEPT, library, machine, what_if

from fitguard.checks.framework.testing import run


@pytest.mark.parametrize(
    ("tensorflow", "cudnn", "asked"),
    [
        ("2.15.1", "9.1", "libcudnn.so.8"),
        ("2.17.1", "9.3", "libcudnn.so.8"),
        ("2.18.0", "8.9.7", "libcudnn.so.9"),
        ("2.3.0", "8.0.5", "libcudnn.so.7"),
    ],
)
def test_another_major(tensorflow, cudnn, asked):
    (finding,) = run("FG205", what_if(f"tf={tensorflow}", f"cudnn={cudnn}")).findings
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert finding.title.endswith(f"and the loader finds cuDNN {cudnn}")
    assert finding.evidence[0].source == f"--what-if cudnn={cudnn}"
    assert asked in finding.evidence[-1].text


def test_the_fix_brings_the_right_major():
    (finding,) = run("FG205", what_if("tf=2.17.1", "cudnn=9.1")).findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.17.1"',)


@pytest.mark.parametrize("cudnn", ["8.9", "8", "8.0"])
def test_the_same_major_is_fine_here(cudnn):
    assert run("FG205", what_if("tf=2.17", f"cudnn={cudnn}")).passed == ("FG205",)


def test_both_majors_side_by_side_are_fine():
    found = [
        library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.1.0"),
        library("/usr/lib/x86_64-linux-gnu/libcudnn.so.8", "8.9.7"),
    ]
    assert run("FG205", machine("2.15.1", found)).passed == ("FG205",)


def test_the_right_one_lies_unused():
    found = [
        library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.1.0"),
        library("/opt/cudnn8/lib/libcudnn.so.8", "8.9.7", "in /opt", searched=False),
    ]
    (finding,) = run("FG205", machine("2.15.1", found)).findings
    assert finding.evidence[1].text == "cuDNN 8.9.7"
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/opt/cudnn8/lib" + KEPT,)


def test_a_link_to_another_major_is_found_out():
    link = library("/opt/cudnn/lib/libcudnn.so.8", "9.1.0", "LD_LIBRARY_PATH")
    facts = machine("2.15.1", [link], library_path=("/opt/cudnn/lib",))
    (finding,) = run("FG205", facts).findings
    assert finding.fix.commands[-1] == "unset LD_LIBRARY_PATH"


def test_without_a_gpu():
    (finding,) = run("FG205", what_if("tf=2.17", "cudnn=9.1", "gpu=none")).findings
    assert finding.severity == "warning"
    found = [library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.1.0")]
    report = run("FG205", machine("2.15.1", found, gpus=()))
    assert "no GPU" in report.skipped[0].reason


def test_skips_without_the_facts():
    assert run("FG205", what_if("tf=2.17")).skipped
    assert "no cuDNN" in run("FG205", machine("2.17.0", [])).skipped[0].reason
