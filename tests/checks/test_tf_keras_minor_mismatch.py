"""FG111: tf-keras of another minor than TensorFlow."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Packages, TensorFlow


def judged(*arguments: str):
    return run("FG111", suppose(parse_arguments(arguments)))


def test_fires_where_it_fails():
    (finding,) = judged("tf=2.16.2", "tf-keras=2.15.1").findings
    assert finding.slug == "tf-keras-minor-mismatch"
    assert finding.severity == "error"
    assert finding.confidence == "high"
    assert finding.title == "tf-keras 2.15.1 is made for TensorFlow 2.15, and this is 2.16.2"
    assert finding.evidence[0].source == "--what-if tf-keras=2.15.1"
    assert "PyPI METADATA tf-keras" in finding.evidence[1].source
    assert finding.fix.commands == ('python -m pip install "tf-keras~=2.16.0"',)


@pytest.mark.parametrize(
    ("version", "tf_keras", "severity"),
    [
        ("2.15.1", "2.15.0", None),
        ("2.15.1", "2.15", None),
        ("2.16.1", "2.16.0", None),
        ("2.21.0", "2.21.0", None),
        ("2.15.1", "2.16.0", "warning"),
        ("2.18.1", "2.17.0", "warning"),
        ("2.18.1", "2.19.0", "warning"),
        ("2.19.1", "2.20.1", "error"),
        ("2.21.0", "2.20.1", "warning"),
        ("2.18.1", "2.15.1", "error"),
        ("2.13.1", "2.15.0", "warning"),
        ("2.13.1", "2.21.0", "warning"),
    ],
)
def test_boundaries(version, tf_keras, severity):
    found = judged(f"tf={version}", f"tf-keras={tf_keras}").findings
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_what_the_package_does_not_declare_is_less_sure():
    (finding,) = judged("tf=2.16.2", "tf-keras=2.15.0").findings
    assert finding.confidence == "medium"


def test_there_is_none_for_old_releases():
    (finding,) = judged("tf=2.13.1", "tf-keras=2.15.1").findings
    assert finding.fix.commands == ()
    assert "none is needed" in finding.fix.text


def test_skips_where_it_is_not_installed():
    facts = Facts(tensorflow=TensorFlow(version="2.18.1"), packages=Packages(complete=True))
    (skipped,) = run("FG111", facts).skipped
    assert skipped.reason == "tf-keras is not installed"


def test_skips_where_its_minor_is_unknown():
    (skipped,) = judged("tf=2.18", "tf-keras=2").skipped
    assert skipped.reason == "the minor version of tf-keras is not known"
