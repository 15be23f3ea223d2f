"""FG108: a protobuf that is older than TensorFlow's generated code."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG108", suppose(parse_arguments(arguments)))


def test_fires_where_the_import_fails():
    (finding,) = judged("tf=2.15.1", "protobuf=3.19.6").findings
    assert finding.slug == "protobuf-too-old"
    assert finding.severity == "error"
    assert finding.confidence == "high"
    assert finding.evidence[0].source == "--what-if protobuf=3.19.6"
    assert "PyPI wheel METADATA" in finding.evidence[1].source
    assert finding.fix.commands == ('python -m pip install "protobuf>=3.20.3,<5"',)


@pytest.mark.parametrize(
    ("version", "protobuf", "severity"),
    [
        ("2.12.1", "3.19.6", "error"),
        ("2.12.1", "3.20.0", "warning"),
        ("2.12.1", "3.20.3", None),
        ("2.12.1", "3.20", None),
        ("2.12.1", "3", None),
        ("2.12.1", "4.21.0", "warning"),
        ("2.12.1", "4.21.5", "warning"),
        ("2.12.1", "4.21.6", None),
        ("2.19.1", "3.20.3", None),
        ("2.20.0", "4.25.8", "error"),
        ("2.20.0", "5.28.2", "error"),
        ("2.20.0", "5.28.3", None),
        ("2.21.0", "6.30.2", "error"),
        ("2.21.0", "6.31.1", None),
        ("2.15.1", "6.31.1", None),
        ("2.10.1", "3.9.2", None),
        ("2.10.1", "3.8.0", "warning"),
        ("2.5.3", "3.6.1", "error"),
        ("1.15.5", "3.6.1", None),
        ("1.15.5", "3.5.2", "error"),
        ("1.12.0", "3.5.2", "warning"),
    ],
)
def test_boundaries(version, protobuf, severity):
    found = judged(f"tf={version}", f"protobuf={protobuf}").findings
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_the_code_of_2_20_is_newer_than_its_bound():
    (finding,) = judged("tf=2.20.0", "protobuf=5.28.0").findings
    assert finding.evidence[1].text == "TensorFlow 2.20.0 carries code of protobuf 5.28.3"
    assert finding.fix.commands == ('python -m pip install "protobuf>=5.28.3"',)


def test_an_excluded_version_is_quoted():
    (finding,) = judged("tf=2.12.1", "protobuf=4.21.1").findings
    assert "!=4.21.1" in finding.evidence[1].text
    assert "!=4.21.2" not in finding.evidence[1].text


def test_skips_for_condas_own_build():
    packages = Packages(
        (
            Package(name="tensorflow", version="2.15.0", installer="conda"),
            Package(name="protobuf", version="3.19.6", installer="conda"),
        )
    )
    (skipped,) = run(
        "FG108", Facts(tensorflow=TensorFlow(version="2.15.0"), packages=packages)
    ).skipped
    assert skipped.reason.startswith("conda's solver")


def test_skips_where_tensorflow_is_unknown():
    (skipped,) = judged("protobuf=3.19.6").skipped
    assert skipped.reason == "the TensorFlow version is not known"
