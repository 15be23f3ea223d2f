"""FG119 extra-uninstallable."""

import pytest
from checks.library_facts import what_if

from fitguard.checks.framework.testing import run


def test_a_python_that_the_pin_has_no_wheel_for():
    (finding,) = run("FG119", what_if("tf=2.14.1", "extras=and-cuda", "python=3.11.4")).findings
    assert finding.severity == "error"
    assert "tensorrt==8.5.3.1" in finding.title
    assert "Python 3.10" in finding.fix.text


def test_a_pin_that_is_nowhere():
    (finding,) = run("FG119", what_if("tf=2.15.0", "extras=and-cuda", "python=3.10")).findings
    assert finding.severity == "warning"
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.15.1"',)


@pytest.mark.parametrize(
    "setup",
    [
        ("tf=2.14.1", "extras=and-cuda", "python=3.10"),
        ("tf=2.14.1", "python=3.11"),
        ("tf=2.15.1", "extras=and-cuda", "python=3.11"),
    ],
)
def test_fine(setup):
    assert run("FG119", what_if(*setup)).findings == ()


def test_python_must_be_known():
    assert "Python" in run("FG119", what_if("tf=2.14.1", "extras=and-cuda")).skipped[0].reason
