"""FG210 tensorrt-noise."""

import pytest
from checks.library_facts import library, machine, what_if

from fitguard.checks.framework.testing import run


@pytest.mark.parametrize(
    ("version", "name"),
    [("2.10.1", "libnvinfer.so.7"), ("2.12.0", "libnvinfer.so.8"), ("2.17.1", "libnvinfer.so.8")],
)
def test_the_warning_is_foretold(version, name):
    report = run("FG210", machine(version, []))
    (finding,) = report.findings
    assert finding.severity == "info"
    assert report.ok
    assert finding.evidence[0].text == f"no {name}"
    assert "ignore" in finding.title
    assert finding.fix.commands == ()


@pytest.mark.parametrize("version", ["2.9.1", "2.18.0", "2.21.0"])
def test_other_releases_do_not_warn(version):
    assert run("FG210", machine(version, [])).passed == ("FG210",)


def test_tensorrt_is_there():
    found = [library("/opt/tensorrt/lib/libnvinfer.so.8", "8.6.1")]
    assert run("FG210", machine("2.15.1", found)).passed == ("FG210",)


def test_another_tensorrt_does_not_silence_it():
    found = [library("/opt/tensorrt/lib/libnvinfer.so.10", "10.0.1")]
    assert run("FG210", machine("2.15.1", found)).findings


def test_skips_where_nobody_will_see_it():
    assert run("FG210", machine("2.15.1", [], gpus=())).skipped
    assert "not known" in run("FG210", what_if("tf=2.15", "cuda=12.2", "gpu=T4")).skipped[0].reason
