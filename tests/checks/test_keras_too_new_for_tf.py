"""FG109: a keras package that calls what TensorFlow does not have yet."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG109", suppose(parse_arguments(arguments)))


def test_keras_2_2_4_on_tensorflow_1_4_1():
    (finding,) = judged("tf=1.4.1", "keras=2.2.4").findings
    assert finding.slug == "keras-too-new-for-tf"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "--what-if keras=2.2.4"
    assert "unexpected keyword argument axis" in finding.evidence[1].text
    assert "keras-team/keras tag 2.2.4" in finding.evidence[1].source
    assert finding.fix.commands == ('python -m pip install "keras==2.1.4"',)
    assert "TensorFlow 1.5 or newer" in finding.fix.text
    assert "`tf.keras` is part of this TensorFlow" in finding.fix.text


def test_keras_3_on_tensorflow_2_15():
    (finding,) = judged("tf=2.15.1", "keras=3.9.2").findings
    assert finding.severity == "error"
    assert finding.evidence[1].text == "TensorFlow 2.15.1 asks for keras <2.16,>=2.15.0"
    assert "PyPI wheel METADATA" in finding.evidence[1].source
    assert finding.fix.commands == ('python -m pip install "keras~=2.15.0"',)
    assert "tf.keras" not in finding.fix.text


@pytest.mark.parametrize(("version", "confidence"), [("2.15.1", "medium"), ("2.14.1", "high")])
def test_where_keras_3_takes_over_only_keras_2_code_breaks(version, confidence):
    (finding,) = judged(f"tf={version}", "keras=3.9.2").findings
    assert finding.severity == "error"
    assert finding.confidence == confidence


def test_the_loose_bound_of_2_6_0_does_not_fool_it():
    (finding,) = judged("tf=2.6.0", "keras=2.9.0").findings
    assert finding.fix.commands == ('python -m pip install "keras~=2.6.0"',)


@pytest.mark.parametrize(
    ("version", "keras", "fires"),
    [
        ("1.4.1", "2.1.4", False),
        ("1.4.1", "2.1.6", True),
        ("1.5.0", "2.2.4", False),
        ("2.5.3", "2.4.3", False),
        ("2.5.3", "2.6.0", True),
        ("2.12.1", "2.12.0", False),
        ("2.12.1", "2.13.1", True),
        ("2.15.1", "2.15.0", False),
        ("2.15.1", "3", True),
        ("2.16.1", "3.0.5", False),
        ("2.21.0", "3.15.1", False),
        ("2.16.1", "2.15.0", False),
    ],
)
def test_boundaries(version, keras, fires):
    assert bool(judged(f"tf={version}", f"keras={keras}").findings) is fires


def test_keras_2_3_calls_what_tensorflow_has_since_1_13():
    assert judged("tf=1.12.0", "keras=2.3.1").findings
    assert not judged("tf=1.13.1", "keras=2.3.1").findings


@pytest.mark.parametrize(("requested", "severity"), [(False, "warning"), (None, "error")])
def test_a_package_that_came_along_beside_a_built_in_keras(requested, severity):
    keras = Package(name="keras", version="2.9.0", requested=requested, origin="METADATA")
    facts = Facts(tensorflow=TensorFlow(version="2.4.4"), packages=Packages((keras,)))
    (finding,) = run("FG109", facts).findings
    assert finding.severity == severity


def test_skips_where_keras_is_unknown():
    (skipped,) = judged("tf=2.15", "numpy=1.26").skipped
    assert skipped.reason == "keras is not known"
