"""FG115: packages that are recorded but not whole."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts, FailedProbe
from fitguard.schema.software import Package, Packages, TensorFlow

SITE = "/env/lib/python3.11/site-packages"
IMPORTED = TensorFlow(version="2.18.1", location=f"{SITE}/tensorflow")


def package(name, version=None, problem=None):
    return Package(
        name=name, version=version, location=SITE, problem=problem, origin=f"{SITE}/{name}"
    )


def judged(*found: Package, complete=True, **facts):
    return run("FG115", Facts(packages=Packages(found, complete=complete), **facts))


def test_a_leftover_is_a_warning_without_commands():
    leftover = package("~ensorflow", problem="~ensorflow-2.15.0.dist-info is a leftover")
    (finding,) = judged(package("tensorflow", "2.18.1"), leftover, tensorflow=IMPORTED).findings
    assert finding.slug == "package-broken"
    assert finding.severity == "warning"
    assert finding.evidence[0].source == f"{SITE}/~ensorflow"
    assert finding.fix.commands == ()
    assert SITE in finding.fix.text


def test_tensorflow_without_metadata_is_an_error():
    broken = package("tensorflow", problem="tensorflow-2.18.1.dist-info has no METADATA")
    (finding,) = judged(broken, tensorflow=IMPORTED).findings
    assert finding.severity == "error"
    assert finding.evidence[0].text == "tensorflow-2.18.1.dist-info has no METADATA"
    assert finding.fix.commands == ("python -m pip install --force-reinstall --no-deps tensorflow",)


def test_beside_a_whole_copy_it_is_a_warning():
    broken = package("tensorflow", problem="no METADATA")
    (finding,) = judged(package("tensorflow", "2.18.1"), broken, tensorflow=IMPORTED).findings
    assert finding.severity == "warning"


def test_another_package_without_metadata_is_a_warning():
    (finding,) = judged(package("numpy", problem="names no version"), tensorflow=IMPORTED).findings
    assert finding.severity == "warning"


def test_recorded_but_without_files():
    (finding,) = judged(package("tensorflow", "2.18.1")).findings
    assert finding.severity == "error"
    assert finding.title == "tensorflow 2.18.1 is recorded as installed, but its files are gone"
    assert finding.fix.commands == (
        'python -m pip install --force-reinstall --no-deps "tensorflow==2.18.1"',
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"complete": False},
        {"tensorflow": IMPORTED},
        {"failed_probes": (FailedProbe("tensorflow", "PermissionError"),)},
    ],
)
def test_files_are_gone_only_where_that_is_sure(facts):
    assert judged(package("tensorflow", "2.18.1"), **facts).passed == ("FG115",)


def test_the_empty_tensorflow_gpu_is_left_to_fg116():
    assert not judged(package("tensorflow-gpu", "2.12.0")).findings
    assert judged(package("tensorflow-gpu", "2.10.1")).findings


def test_skips_where_the_packages_are_unknown():
    (skipped,) = run("FG115", Facts()).skipped
    assert skipped.reason == "what is installed is not known"
