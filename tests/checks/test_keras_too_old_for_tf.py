"""FG110: a keras package that lacks what TensorFlow looks for."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG110", suppose(parse_arguments(arguments)))


def test_keras_2_on_tensorflow_2_16():
    (finding,) = judged("tf=2.16.2", "keras=2.15.0").findings
    assert finding.slug == "keras-too-old-for-tf"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "--what-if keras=2.15.0"
    assert finding.evidence[1].text == "TensorFlow 2.16.2 asks for keras >=3.0.0"
    assert finding.fix.commands == ('python -m pip install "keras>=3.0.0"',)
    assert "tf-keras~=2.16.0" in finding.fix.text
    assert "TF_USE_LEGACY_KERAS=1" in finding.fix.text


def test_keras_2_3_1_on_tensorflow_2_4():
    (finding,) = judged("tf=2.4.4", "keras=2.3.1").findings
    assert finding.severity == "error"
    assert finding.confidence == "high"
    assert finding.evidence[1].text == "Keras 2.3.1 goes with TensorFlow 1.13 or newer, below 2.3"
    assert "keras-team/keras tag 2.3.1" in finding.evidence[1].source
    assert finding.fix.commands == ('python -m pip install "keras==2.4.3"',)
    assert "`tf.keras` is part of this TensorFlow" in finding.fix.text


@pytest.mark.parametrize(
    ("version", "keras", "severity"),
    [
        ("1.15.5", "2.2.5", None),
        ("2.0.0", "2.2.5", "error"),
        ("2.2.0", "2.3.1", None),
        ("2.3.0", "2.3.1", "error"),
        ("2.10.1", "2.4.3", "error"),
        ("2.10.1", "2.8.0", "error"),
        ("2.10.1", "2.9.0", "warning"),
        ("2.15.1", "2.13.1", "warning"),
        ("2.15.1", "2.14.0", "warning"),
        ("2.15.1", "2.15.0", None),
        ("2.20.0", "3.9.2", "warning"),
        ("2.20.0", "3.10.0", None),
        ("2.20.0", "3", None),
        ("2.15.1", "3.0.0", None),
    ],
)
def test_boundaries(version, keras, severity):
    found = judged(f"tf={version}", f"keras={keras}").findings
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_an_old_keras_3_is_no_matter_of_keras_2_code():
    (finding,) = judged("tf=2.20.0", "keras=3.5.0").findings
    assert finding.confidence == "medium"
    assert finding.fix.text == "Install keras>=3.10.0."


def test_a_package_that_came_along_beside_a_built_in_keras_is_a_warning():
    keras = Package(name="keras", version="2.3.1", requested=False, origin="METADATA")
    facts = Facts(tensorflow=TensorFlow(version="2.4.4"), packages=Packages((keras,)))
    (finding,) = run("FG110", facts).findings
    assert finding.severity == "warning"


def test_skips_where_keras_is_not_installed():
    facts = Facts(tensorflow=TensorFlow(version="2.4.4"), packages=Packages(complete=True))
    (skipped,) = run("FG110", facts).skipped
    assert skipped.reason == "keras is not installed"
