"""FG112: Keras 2 code or packages on a TensorFlow whose tf.keras is Keras 3."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, Platform, Python, TensorFlow

SWITCH = "TF_USE_LEGACY_KERAS"
TF_KERAS = Package(name="tf-keras", version="2.18.0", requested=True, origin="tf_keras METADATA")


def judged(*found: Package, environment=None, version="2.18.1", complete=True, platform=None):
    facts = Facts(
        python=Python(version="3.11.7", executable="/env/bin/python"),
        tensorflow=TensorFlow(version=version),
        packages=Packages(found, complete=complete),
        environment=environment,
        platform=platform,
    )
    return run("FG112", facts)


@pytest.mark.parametrize("value", ["1", "true", "True"])
def test_the_switch_without_the_package_is_an_error(value):
    (finding,) = judged(environment={SWITCH: value}).findings
    assert finding.slug == "keras3-vs-keras2-code"
    assert finding.severity == "error"
    assert finding.evidence[0].text == f"{SWITCH}={value}"
    assert finding.evidence[1].source == "/env/bin/python"
    assert finding.fix.commands == ('/env/bin/python -m pip install "tf-keras~=2.18.0"',)


@pytest.mark.parametrize("value", ["0", "", "yes"])
def test_other_values_do_not_switch(value):
    assert not judged(environment={SWITCH: value}).findings


def test_the_switch_with_the_package_is_fine():
    assert judged(TF_KERAS, environment={SWITCH: "1"}).passed == ("FG112",)


def test_not_known_to_be_missing_is_not_missing():
    assert not judged(environment={SWITCH: "1"}, complete=False).findings


def test_keras_2_packages_are_named_each():
    addons = Package(name="tensorflow-addons", version="0.23.0", origin="addons METADATA")
    agents = Package(name="tf-agents", version="0.19.0", origin="agents METADATA")
    (finding,) = judged(addons, agents, environment={}).findings
    assert finding.severity == "warning"
    assert finding.title.startswith("tensorflow-addons 0.23.0 and 1 more needs Keras 2")
    assert {item.source for item in finding.evidence} == {"addons METADATA", "agents METADATA"}
    assert finding.fix.commands == (
        '/env/bin/python -m pip install "tf-keras~=2.18.0"',
        f"export {SWITCH}=1",
    )


def test_windows_sets_variables_its_own_way():
    addons = Package(name="tensorflow-addons", version="0.23.0")
    (finding,) = judged(addons, environment={}, platform=Platform(system="windows")).findings
    assert finding.fix.commands[1] == f"set {SWITCH}=1"


@pytest.mark.parametrize(("version", "fires"), [("1.1.0", True), ("2.0.0", False)])
def test_newer_versions_may_do_without_keras_2(version, fires):
    report = judged(Package(name="autokeras", version=version), environment={})
    assert bool(report.findings) is fires


def test_transformers_needs_the_package_alone():
    transformers = Package(name="transformers", version="4.45.0", origin="METADATA")
    (finding,) = judged(transformers, environment={}).findings
    assert finding.fix.commands == ('/env/bin/python -m pip install "tf-keras~=2.18.0"',)
    assert not judged(transformers, TF_KERAS, environment={}).findings
    assert not judged(transformers, environment={}, complete=False).findings


def test_transformers_beside_pytorch_is_left_alone():
    transformers = Package(name="transformers", version="4.45.0")
    assert not judged(transformers, Package(name="torch", version="2.5"), environment={}).findings


def test_transformers_5_has_no_tensorflow():
    assert not judged(Package(name="transformers", version="5.0.0"), environment={}).findings


def test_the_package_without_the_switch():
    (finding,) = judged(TF_KERAS, environment={}).findings
    assert finding.severity == "warning"
    assert finding.evidence[0].source == "tf_keras METADATA"
    assert finding.fix.commands == (f"export {SWITCH}=1",)


def test_the_package_where_the_variables_are_unknown_is_mere_information():
    (finding,) = run("FG112", suppose(parse_arguments(["tf=2.18", "tf-keras=2.18.0"]))).findings
    assert finding.severity == "info"
    assert finding.evidence[0].source == "--what-if tf-keras=2.18.0"


def test_a_package_that_came_along_is_no_wish():
    assert not judged(Package(name="tf-keras", version="2.18.0"), environment={}).findings


def test_before_2_16_tf_keras_is_keras_2():
    addons = Package(name="tensorflow-addons", version="0.23.0")
    assert judged(addons, environment={SWITCH: "1"}, version="2.15.1").passed == ("FG112",)


def test_skips_where_the_packages_are_unknown():
    (skipped,) = run("FG112", suppose(parse_arguments(["tf=2.18"]))).skipped
    assert skipped.reason == "what is installed is not known"
