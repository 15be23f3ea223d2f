"""FG107: a protobuf that TensorFlow's generated code is too old for."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG107", suppose(parse_arguments(arguments)))


def installed(installer=None, environment=None):
    packages = Packages(
        (
            Package(name="tensorflow", version="2.10.1", installer=installer),
            Package(name="protobuf", version="4.25.8", origin="protobuf METADATA"),
        )
    )
    tensorflow = TensorFlow(version="2.10.1")
    return run("FG107", Facts(tensorflow=tensorflow, packages=packages, environment=environment))


def test_fires_where_the_import_fails():
    (finding,) = judged("tf=2.10.1", "protobuf=4.21.0").findings
    assert finding.slug == "protobuf-too-new"
    assert finding.severity == "error"
    assert finding.confidence == "high"
    assert finding.evidence[0].source == "--what-if protobuf=4.21.0"
    assert finding.evidence[1].text == "TensorFlow 2.10.1 asks for protobuf >=3.9.2,<3.20"
    assert finding.fix.commands == ('python -m pip install "protobuf>=3.9.2,<3.20"',)


@pytest.mark.parametrize("version", ["1.15.5", "2.5.3", "2.6.4", "2.7.2", "2.8.1", "2.9.0"])
def test_fires_where_the_wheel_forgot_a_bound(version):
    (finding,) = judged(f"tf={version}", "protobuf=4.21.0").findings
    assert finding.severity == "error"
    assert "needs protobuf before 4" in finding.evidence[1].text
    assert finding.fix.commands[0].endswith(',<3.21"')


@pytest.mark.parametrize(
    ("version", "protobuf", "severity"),
    [
        ("2.11.1", "4.21.0", "error"),
        ("2.11.1", "4", "error"),
        ("2.11.1", "3.20.3", None),
        ("2.11.1", "3", None),
        ("2.12.0", "4.25.8", None),
        ("2.12.0", "5.26.1", "warning"),
        ("2.17.1", "5", "warning"),
        ("2.18.0", "5.29.5", None),
        ("2.19.1", "6.31.1", "warning"),
        ("2.20.0", "7.34.0", None),
        ("2.21.0", "7.34.0", None),
        ("2.21.0", "8.0.0", "warning"),
        ("2.21.0", "5.29.5", None),
    ],
)
def test_boundaries(version, protobuf, severity):
    found = judged(f"tf={version}", f"protobuf={protobuf}").findings
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_a_warning_is_less_sure_and_names_the_bounds_alone():
    (finding,) = judged("tf=2.15.1", "protobuf=5.29.5").findings
    assert finding.confidence == "medium"
    assert finding.evidence[1].text == "TensorFlow 2.15.1 asks for protobuf >=3.20.3,<5.0.0dev"
    assert finding.fix.commands == ('python -m pip install "protobuf>=3.20.3,<5"',)


def test_the_origin_of_an_installed_package_is_the_source():
    (finding,) = installed().findings
    assert finding.evidence[0].source == "protobuf METADATA"


def test_skips_for_conda_and_for_the_pure_python_protobuf():
    (skipped,) = installed(installer="conda").skipped
    assert skipped.reason.startswith("conda's solver")
    (skipped,) = installed(environment={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}).skipped
    assert "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python" in skipped.reason


def test_skips_where_protobuf_is_unknown():
    (skipped,) = judged("tf=2.10", "numpy=1.24").skipped
    assert skipped.reason == "protobuf is not known"
