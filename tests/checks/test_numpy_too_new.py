"""FG120 numpy-too-new."""

import pytest
from checks.library_facts import what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run


@pytest.mark.parametrize(
    ("tensorflow", "numpy", "severity"),
    [("2.6.5", "1.24.4", "error"), ("1.15.5", "1.24.0", "error"), ("2.4.1", "1.20.0", "warning")],
)
def test_numpy_that_breaks(tensorflow, numpy, severity):
    (finding,) = run("FG120", what_if(f"tf={tensorflow}", f"numpy={numpy}")).findings
    assert finding.severity == severity
    assert finding.evidence[0].source == f"--what-if numpy={numpy}"


@pytest.mark.parametrize(
    ("tensorflow", "numpy"), [("2.6.5", "1.23.5"), ("2.4.1", "1.19.5"), ("2.7.4", "1.24.4")]
)
def test_numpy_that_works(tensorflow, numpy):
    assert run("FG120", what_if(f"tf={tensorflow}", f"numpy={numpy}")).passed == ("FG120",)


def test_numpy_2_is_told_once():
    report = judge_machine(what_if("tf=2.4.1", "numpy=2.0.0"))
    assert [item.slug for item in report.findings] == ["numpy2-abi"]


def test_a_mere_major_tells_nothing():
    assert "minor" in run("FG120", what_if("tf=2.4.1", "numpy=1")).skipped[0].reason
